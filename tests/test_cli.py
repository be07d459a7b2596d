"""The command line: what it prints, where, and how it ends.

`run` and its kin call it in this process, which saves a start for each; `started` is a process of its own.
"""

import contextlib
import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import bayescmp as bc
from bayescmp.cli import main
from bayescmp.cli.comparison import ADJUSTMENTS
from bayescmp.cli.options import names_of_tests
from bayescmp.text import safe_text, short_name, visible

PROGRAM = [sys.executable, "-m", "bayescmp"]
LABOUR = ("bundled:labour", "--rope", "0.01")
HOSTILE = [
    "<script>alert(1)</script>",
    "A & B_1%",
    "=cmd()",
    "[bold red]x[/]",
    "\x1b[31mred",
    "שלום\u202e",
    "🦊",
    "n" * 200,
]


IN_PYTHON = re.compile(r"`\w+`|\w+_t?test\b|(?<![-\w ])\w+=[\w\"(]|\b(bc|scores|bayes|c)\.\w+|\w+\(\)|None")
"""Words of Python, which an error here has no use for."""


def run(*arguments, text=None):
    return CliRunner().invoke(main, list(map(str, arguments)), text, prog_name="bayescmp", catch_exceptions=False)


def started(*arguments, command=PROGRAM, **environment):
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"} | environment
    call = [*command, *map(str, arguments)]
    return subprocess.run(
        call, capture_output=True, text=True, check=False, encoding="utf-8", env=environment, timeout=120
    )


def good(*arguments, text=None):
    result = run(*arguments, text=text)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def bad(*arguments, text=None):
    """The message on stderr of a call that ends with 2, without a traceback and without an answer."""
    result = run(*arguments, text=text)
    assert result.exit_code == 2, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


def undocumented(*objects):
    """Fields of the JSON output that docs/cli.md does not name."""
    docs = (Path(__file__).parents[1] / "docs" / "cli.md").read_text(encoding="utf-8")
    return [name for fields in objects for name in fields if f"`{name}`" not in docs]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of results: folds of one dataset, of many, one score each, right and wrong, and strange names."""
    path = tmp_path_factory.mktemp("results")
    one = ["repeat,fold,metric,rf,svm"]
    one += [
        f"{r},{f},accuracy,{0.9 + (f * 7 % 5 + r) / 100},{0.88 + (f * 3 % 5) / 100}"
        for r in range(1, 6)
        for f in (1, 2)
    ]
    (path / "folds.csv").write_text("\n".join(one))
    many = ["dataset,fold,metric,rf,svm"]
    many += [f"d{d},{f},accuracy,{0.8 + d / 50 + f / 100},{0.8 + f / 90}" for d in range(5) for f in range(4)]
    (path / "many.csv").write_text("\n".join(many))
    (path / "right.csv").write_text(
        "fold,metric,rf,svm\n" + "\n".join(f"{i},accuracy,{int(i % 5 > 0)},{int(i % 3 > 0)}" for i in range(30))
    )
    (path / "seeds.csv").write_text(
        "seed,metric,rf,svm\n" + "\n".join(f"{i},accuracy,{0.9 + i / 99},{0.8 + i / 70}" for i in range(6))
    )
    records = [
        {"model": m, "dataset": f"d{d}", "metric": "accuracy", "score": 0.5 + (7 * i + 3 * d) % 11 / 25}
        for i, m in enumerate(HOSTILE)
        for d in range(6)
    ]
    (path / "hostile.json").write_text(json.dumps(records), encoding="utf-8")
    return path


# ---- compare


def test_compare_prints_the_numbers_of_the_api():
    table = good("compare", *LABOUR)
    c = bc.compare(bc.load_labour(), rope=0.01)
    for row in c.table().to_dict("records"):
        line = next(x for x in table.splitlines() if x.split()[:2] == [row["a"], row["b"]])
        for p in ("p_better", "p_equivalent", "p_worse"):
            assert f"{row[p]:.3f}" in line
    assert "\x1b" not in table
    assert table.isascii()
    best = c.ranking()["model"][0]
    assert re.search(rf"^{best} +0\.\d+", table, re.M)


def test_compare_as_json_is_what_the_docs_say():
    data = json.loads(good("compare", *LABOUR, "--format", "json"))
    assert (data["format"], data["kind"], data["version"]) == (2, "comparison", bc.__version__)
    assert data["settings"]["rope"] == [-0.01, 0.01]
    assert data["converged"] is True
    table = bc.compare(bc.load_labour(), rope=0.01).table()
    assert [pair["p_better"] for pair in data["pairs"]] == pytest.approx(list(table["p_better"]))
    assert not undocumented(data, data["data"], data["settings"], data["pairs"][0], data["ranking"][0])


def test_compare_as_csv_is_the_table():
    rows = list(csv.DictReader(io.StringIO(good("compare", *LABOUR, "--format", "csv"))))
    table = bc.compare(bc.load_labour(), rope=0.01).table(full=True)
    assert list(rows[0]) == list(table)
    assert [float(row["p_worse"]) for row in rows] == list(table["p_worse"])


@pytest.mark.parametrize(("form", "method"), [("latex", "to_latex"), ("markdown", "to_markdown")])
def test_compare_for_papers(form, method):
    c = bc.compare(bc.load_labour(), rope=0.01)
    assert good("compare", *LABOUR, "--format", form).strip() == str(getattr(c, method)()).strip()


def test_compare_takes_the_options_of_the_api(folder):
    options = "--control rf --bayes sign-test --frequentist sign-test --adjust bonferroni --threshold 0.9 --alpha 0.1"
    data = json.loads(
        good("compare", "bundled:uci", "--rope=-0.01,0.02", *options.split(), "--format", "json", "--quiet")
    )
    settings = data["settings"]
    assert settings["rope"] == [-0.01, 0.02]
    assert (settings["bayes"], settings["frequentist"], settings["control"]) == ("sign_test", "sign_test", "rf")
    assert (settings["adjust"], settings["threshold"], settings["alpha"]) == ("bonferroni", 0.9, 0.1)
    assert {pair["a"] for pair in data["pairs"]} == {"rf"}
    best = json.loads(good("compare", *LABOUR, "--against", "best", "--format", "json"))
    assert best["settings"]["control"] == "SVM"


def test_models_that_share_no_dataset_with_all_others_have_no_ranking():
    pairs = {"a": "xy", "b": "xy", "c": "yz", "d": "yz", "e": "xz", "f": "xz"}
    text = "model,dataset,accuracy\n" + "".join(f"{m},{d},{ord(m)}\n" for d, two in pairs.items() for m in two)
    call = ("compare", "-", "--rope", "0", "--bayes", "sign-test", "--quiet")
    data = json.loads(good(*call, "--format", "json", text=text))
    assert len(data["pairs"]) == 3
    assert data["ranking"] is None
    assert data["notes"][-1].startswith("no ranking: ")
    assert "\n\nNo ranking: " in good(*call, text=text)


def test_the_direction_and_the_design_can_be_said(folder, tmp_path):
    path = tmp_path / "unnamed.csv"
    path.write_text((folder / "seeds.csv").read_text().replace("metric,", "").replace("accuracy,", ""))
    for design in (
        ["--resampling", "subsampling:50,6,6"],
        ["--resampling", "independent"],
        ["--resampling", "kfold:3x2"],
    ):
        higher, lower = (
            json.loads(good("compare", path, "--rope", 0, *design, "--metric", "thing", way, "--format", "json"))[
                "pairs"
            ][0]
            for way in ("--higher-is-better", "--lower-is-better")
        )
        assert higher["p_better"] == pytest.approx(lower["p_worse"])
    assert "--higher-is-better or --lower-is-better" in bad(
        "compare", path, "--rope", 0, "--metric", "thing", "--resampling", "independent"
    )
    named = (path, "rf", "svm", "--rope", 0, "--metric", "accuracy")
    for call in (("test", "correlated-ttest", *named), ("compare", path, *named[3:])):
        asked = bad(*call)
        assert "--resampling independent if all models had the same splits and seeds" in asked
        assert "otherwise --resampling runs" in asked
    with_folds = good("test", "correlated-ttest", *named, "--folds", 2, "--repeats", 3)
    assert "3 x 2-fold CV" in with_folds


def test_seeds_reproduce_and_are_recorded():
    call = ("compare", "bundled:domains", "--rope", "1", "--format", "json", "--quiet")
    first, again = (good(*call, "--seed", "7") for _ in range(2))
    assert first == again
    assert json.loads(first)["settings"]["seed"] == 7
    drawn = json.loads(good(*call))
    assert drawn["pairs"] == json.loads(good(*call, "--seed", drawn["settings"]["seed"]))["pairs"]


def test_workers_and_a_cache_change_nothing(folder, tmp_path):
    call = ("compare", "bundled:domains", "--rope", "1", "--bayes", "sign-test", "--format", "json", "--quiet")
    plain = good(*call)
    assert good(*call, "--n-jobs", "2") == plain
    assert good(*call, "--cache", tmp_path / "kept") == plain
    assert len(list((tmp_path / "kept").glob("*.json"))) == 3
    assert good(*call, "--cache", tmp_path / "kept") == plain


def test_output_files_are_replaced_only_when_asked(tmp_path):
    path = tmp_path / "out.json"
    call = ("compare", *LABOUR, "--format", "json", "-o", path)
    assert good(*call) == ""
    assert json.loads(path.read_text())["kind"] == "comparison"
    path.write_text("mine")
    assert "--overwrite" in bad(*call)
    assert path.read_text() == "mine"
    good(*call, "--overwrite")
    assert json.loads(path.read_text())["kind"] == "comparison"
    assert list(tmp_path.iterdir()) == [path]
    assert "no folder" in bad("compare", *LABOUR, "-o", tmp_path / "nowhere" / "out.csv")


def test_compare_writes_a_report(tmp_path):
    good("compare", *LABOUR, "--report", tmp_path / "report.html")
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "--overwrite" in bad("compare", *LABOUR, "--report", tmp_path / "report.html")
    wrong = bad("compare", "nowhere.csv", "--rope", 0.01, "--report", tmp_path / "report.txt")
    assert "--report must end in .html" in wrong
    assert "use --format csv -o FILE" in wrong
    same = ("-o", tmp_path / "a.md", "--report", tmp_path / "a.md")
    assert "two files" in bad("compare", *LABOUR, *same)


def test_hostile_names_are_shown_whole_and_harmless(folder):
    path = folder / "hostile.json"
    call = ("compare", path, "--rope", "0.01", "--bayes", "sign-test", "--quiet")
    table = good(*call)
    assert not {"\x1b", "\u202e"} & set(table)
    for name in HOSTILE:
        assert short_name(name) in table
    assert json.loads(good(*call, "--format", "json"))["data"]["models"] == HOSTILE
    rows = list(csv.DictReader(io.StringIO(good(*call, "--format", "csv"))))
    assert {row["a"] for row in rows} | {row["b"] for row in rows} == {visible(safe_text(x), "\n\t") for x in HOSTILE}
    result = good("test", "sign-test", path, HOSTILE[0], HOSTILE[4], "--rope", "0.01", "--quiet")
    assert "\x1b" not in result
    assert r"P(\x1b[31mred better)" in result
    assert started(
        "compare", path, "--rope", 0, "--bayes", "sign-test", "-q", PYTHONIOENCODING="latin-1"
    ).stdout.isascii()


# ---- test, check, power, plot, demo


FILES = {
    "runs": "seeds",
    "items": "right",
    "graded items": "right",
    "folds": "folds",
    "datasets": "many",
    "datasets x folds": "many",
}


@pytest.mark.parametrize("name", names_of_tests())
def test_every_test_has_its_command(name, folder):
    school, _, bare = name.rpartition(".")
    test = bc.catalogue.find(bare.replace("-", "_"), school or None)
    path = folder / f"{FILES[test.designs[0]]}.csv"
    rope = ["--rope", "0.01"] if test.school == "bayes" or test.name.startswith("tost") else []
    seed = ["--seed", "1"] if test.seeded else []
    runs = ["--resampling", "runs"] if test.designs == ("runs",) else []
    data = json.loads(good("test", name, str(path), "rf", "svm", *rope, *seed, *runs, "--format", "json"))
    assert (data["format"], data["kind"], data["school"], data["test"]) == (2, "test", test.school, test.name)
    assert (data["a"], data["b"]) == ("rf", "svm")
    if test.school == "bayes":
        assert data["p_better"] + data["p_equivalent"] + data["p_worse"] == pytest.approx(1)
        assert data["p_better"] > data["p_worse"]
    else:
        assert 0 <= data["p_value"] <= 1
    assert not undocumented(data)


def test_a_test_has_its_names_in_python_as_well(folder):
    call = (folder / "many.csv", "rf", "svm")
    shown = good("test", "frequentist.sign-test", *call)
    assert "sign test" in shown
    assert good("test", "frequentist.sign_test", *call) == shown
    assert good("test", "bayes.sign_test", *call, "--rope", 0) == good("test", "sign-test", *call, "--rope", 0)


def test_one_test_as_text_and_csv():
    call = ("test", "correlated-ttest", "bundled:labour", "SVM", "DT", "--rope", "0.01")
    posterior = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    assert good(*call).rstrip("\n") == repr(posterior)
    (row,) = csv.DictReader(io.StringIO(good(*call, "--format", "csv")))
    assert float(row["p_better"]) == posterior.p_better


def test_models_called_a_and_b_are_not_mixed_up():
    data = json.loads(good("test", "sign-test", "bundled:domains", "B", "A", "--rope", "0", "--format", "json"))
    assert data["decision"] == "A better"
    assert data["p_worse"] > 0.95


def test_options_of_a_test(folder):
    wilcoxon = ("test", "wilcoxon-test", folder / "many.csv", "rf", "svm")
    one_sided = json.loads(good(*wilcoxon, "--alternative", "greater", "--format", "json"))
    assert one_sided["alternative"] == "greater"
    assert "zeros: pratt" in good(*wilcoxon, "--set", "zero_method=pratt")
    assert "wilcoxon-test has no option --rope" in bad(*wilcoxon, "--rope", "0.01")
    assert "wilcoxon-test has no option --seed" in bad(*wilcoxon, "--seed", "1")
    assert "Known to --set: correction, method, zero_method" in bad(*wilcoxon, "--set", "zero=pratt")
    assert "correlated-ttest needs --rope" in bad("test", "correlated-ttest", folder / "folds.csv", "rf", "svm")
    assert "--dataset NAME" in bad("test", "correlated-ttest", folder / "many.csv", "rf", "svm", "--rope", 0)
    assert "(n=4" in good(
        "test", "correlated-ttest", folder / "many.csv", "rf", "svm", "--rope", 0, "--dataset", "d1", "-q"
    )


def test_check_says_what_was_understood_and_what_is_missing(folder, tmp_path):
    path = tmp_path / "repeats.csv"
    path.write_text((folder / "seeds.csv").read_text().replace("seed", "repeat"))
    shown = good("check", path)
    assert "2 models x 1 dataset" in shown
    assert "missing   the resampling design" in shown
    assert "frequentist.corrected_ttest" in shown
    data = json.loads(good("check", folder / "many.csv", "--format", "json"))
    assert data["kind"] == "check"
    assert data["tables"][0]["models"] == ["rf", "svm"]
    assert data["tables"][0]["datasets"][0] == {"name": "d0", "scores": 4, "resampling": "4-fold CV", "rho": 0.25}
    assert data["recommendation"]["setting"] == "2xm"
    assert not undocumented(data, data["tables"][0], data["recommendation"])


def test_check_of_gaps_of_one_model_and_of_two_metrics():
    gaps = "model,dataset,accuracy\nrf,a,1\nsvm,a,2\nrf,b,2\n"
    data = json.loads(good("check", "-", "--format", "json", text=gaps))
    assert data["tables"][0]["missing"] == [{"model": "svm", "dataset": "b", "scores": 0, "of": 1}]
    assert "a second model" in good("check", "-", text="model,dataset,accuracy\nrf,a,1\nrf,b,2\n")
    both = "model,dataset,metric,score\n" + "".join(
        f"{m},{d},{metric},{i}\n" for i, m in enumerate("xy") for d in "abc" for metric in ("accuracy", "rmse")
    )
    assert len(json.loads(good("check", "-", "--format", "json", text=both))["tables"]) == 2
    assert "--metric NAME" in bad("compare", "-", "--rope", 0, text=both)
    assert "rmse (lower is better)" in good("compare", "-", "--rope", 0, "--metric", "rmse", "-q", text=both)


def test_power_solves_for_what_is_left_out():
    given = ("power", "--effect", "0.5", "--power", "0.8")
    expected = bc.frequentist.power_ttest(effect=0.5, power=0.8)
    assert good(*given).rstrip("\n") == repr(expected)
    (found,) = json.loads(good(*given, "--format", "json"))["results"]
    assert (found["n_whole"], found["solved_for"]) == (34, "n")
    assert not undocumented(found)
    (level,) = json.loads(good(*given, "--n", 34, "--format", "json"))["results"]
    assert level["solved_for"] == "alpha"
    assert level["alpha"] < 0.05
    rows = list(csv.DictReader(io.StringIO(good("power", "--effect", "0.2,0.5", "--n", "10,100", "--format", "csv"))))
    assert [round(float(row["power"]), 3) for row in rows] == [0.088, 0.508, 0.293, 0.999]
    assert "0.508" in good("power", "--effect", "0.2,0.5", "--n", "10,100")
    expected = bc.frequentist.power_ttest(effect=0.5, n=100, resampling=bc.Resampling.kfold(10, repeats=10))
    corrected = ("power", "--effect", "0.5", "--n", "100", "--resampling", "kfold:10x10")
    assert good(*corrected).rstrip("\n") == repr(expected)
    assert "n = 498" in good("power", "--test", "mcnemar-test", "--effect", "0.1,0.05", "--power", "0.8")
    assert "stays below" in bad(*corrected[:3], "--power", "0.8", *corrected[5:])
    assert "--resampling is for --test ttest" in bad("power", "--test", "sign-test", *corrected[1:])
    assert "Exactly one of" in bad("power")


def test_power_draws_its_curve(tmp_path):
    path = tmp_path / "power.svg"
    curve = ("power", "--effect", "0.2,0.5", "--n", "10,40,100")
    good(*curve, "--figure", path)
    assert "<svg" in path.read_text(encoding="utf-8")
    assert "--overwrite" in bad(*curve, "--figure", path)
    assert "give several" in bad("power", "--effect", "0.5", "--n", "10", "--figure", tmp_path / "a.svg")
    assert "not --power" in bad(
        "power", "--effect", "0.5", "--n", "10,20", "--power", 0.8, "--figure", tmp_path / "a.svg"
    )


def test_power_of_other_designs_and_what_it_refuses():
    unpaired = json.loads(good("power", "--effect", 0.5, "--power", 0.8, "--unpaired", "--format", "json"))
    assert unpaired["results"][0]["n_whole"] == 64  # Cohen 1992, Table 2
    simulated = ("power", "--test", "wilcoxon-test", "--effect", 0.5, "--n", 20, "--set", "method=simulation")
    assert good(*simulated, "--seed", 1) == good(*simulated, "--seed", 1)
    assert "--seed is for --test wilcoxon" in bad("power", "--effect", 0.5, "--n", 20, "--seed", 1)
    assert "--unpaired is for --test ttest" in bad(
        "power", "--test", "sign-test", "--effect", 0.7, "--n", 20, "--unpaired"
    )
    assert "--test mcnemar-test needs --effect" in bad("power", "--test", "mcnemar-test", "--effect", 0.1, "--n", 50)
    assert "several with commas" in bad("power", "--effect", "half", "--n", 20)
    assert "--set nonsense: " in bad("power", "--effect", 0.5, "--n", 20, "--set", "nonsense=1")


def test_settings_are_numbers_words_or_texts(folder):
    call = ("test", "corrected-ttest", folder / "folds.csv", "rf", "svm", "--format", "json")
    as_read, half, tenth = (
        json.loads(good(*call, *more))["p_value"]
        for more in ((), ("--resampling", "rho:0.5"), ("--resampling", "rho:0.1"))
    )
    assert as_read == half > tenth  # 5 repeats of 2 folds have a correlation of 1/2
    wilcoxon = ("test", "wilcoxon-test", folder / "many.csv", "rf", "svm", "--set", "method=asymptotic")
    assert good(*wilcoxon, "--set", "correction=true") != good(*wilcoxon, "--set", "correction=false")
    assert "must be KEY=VALUE" in bad(*wilcoxon, "--set", "=1")
    welch = ("test", "welch-ttest", folder / "many.csv", "rf", "svm", "--rope", 0, "--resampling", "runs")
    assert "--dataset NAME" in bad(*welch)
    assert "P(rf better)" in good(*welch, "--dataset", "d1")


def test_plot_writes_a_figure(tmp_path):
    path = tmp_path / "figure.pdf"
    good("plot", "forest", *LABOUR, "-o", path)
    assert path.read_bytes().startswith(b"%PDF")
    assert "--overwrite" in bad("plot", "forest", *LABOUR, "-o", path)
    good("plot", "posterior", *LABOUR, "--pair", "SVM", "DT", "-o", tmp_path / "pair.svg")
    assert "SVM" in (tmp_path / "pair.svg").read_text(encoding="utf-8")
    assert "nonsense" in bad("plot", "nonsense", *LABOUR, "-o", tmp_path / "other.pdf")
    assert "--pair is for" in bad("plot", "forest", *LABOUR, "--pair", "SVM", "DT", "-o", tmp_path / "other.pdf")
    assert "has no option --draw nonsense; it takes" in bad(
        "plot", "forest", *LABOUR, "--draw", "nonsense=1", "-o", tmp_path / "other.pdf"
    )
    good("plot", "matrix", *LABOUR, "--model", "SVM", "--model", "DT", "-o", tmp_path / "two.png", "--dpi", 50)
    assert (tmp_path / "two.png").read_bytes().startswith(b"\x89PNG")


def test_demo_prints_a_table_and_writes_it(tmp_path):
    table = good("demo", "-o", tmp_path / "report.csv", "--quiet")
    assert "SVM is practically better than DT with probability 0.940" in table
    assert len(list(csv.DictReader((tmp_path / "report.csv").read_text().splitlines()))) == 6


# ---- ways in


def test_standard_input_in_every_format(folder):
    expected = good("test", "sign-test", folder / "many.csv", "rf", "svm", "--rope", "0.01")
    rows = list(csv.DictReader((folder / "many.csv").read_text().splitlines()))
    records = [{k: v if k in ("dataset", "metric") else float(v) for k, v in row.items()} for row in rows]
    columns = {name: [record[name] for record in records] for name in records[0]}
    texts = {
        "csv": (folder / "many.csv").read_text(),
        "tsv": (folder / "many.csv").read_text().replace(",", "\t"),
        "json": json.dumps(records),
        "jsonl": "\n".join(map(json.dumps, records)),
    }
    for form, text in [*texts.items(), ("json", json.dumps(columns)), ("json", json.dumps(columns, indent=1))]:
        call = ("test", "sign-test", "-", "rf", "svm", "--rope", "0.01")
        assert good(*call, text=text) == expected
        assert good(*call, "--input-format", form, text=text) == expected


def test_a_file_without_an_ending_and_odd_columns(tmp_path):
    path = tmp_path / "results"
    path.write_text("who;where;what\nrf;a;1\nrf;b;2\nrf;c;2\nsvm;a;0\nsvm;b;1\nsvm;c;3\n")
    columns = ("--column", "model=who", "--column", "dataset=where", "--column", "score=what")
    assert "must end in" in bad("check", path)
    named = ("--input-format", "csv", *columns, "--metric", "accuracy")
    assert "2 models x 3 datasets, accuracy" in good("check", path, *named)
    assert "--column takes model" in bad("check", path, "--input-format", "csv", "--column", "who=rf")


# ---- bad input, warnings, the end


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere.csv"], "There is no file"),
        (["check", "bundled:nothing"], "no bundled results"),
        (["check", "nowhere.csv", "--input-format", "csv"], "There is no file"),
        (["compare", "bundled:labour"], "Missing option '--rope'"),
        (["compare", "bundled:labour", "--rope", "x"], "must be a number such as 0.01"),
        (["compare", "bundled:labour", "--rope=-1"], "must not be negative"),
        (["compare", *LABOUR, "--control", "SWM"], 'Did you mean "SVM"?'),
        (["compare", *LABOUR, "--bayes", "sign-test"], "--bayes must be one of correlated-ttest"),
        (["compare", *LABOUR, "--adjust", "magic"], "magic"),
        (["compare", *LABOUR, "--nonsense"], "No such option"),
        (["compare", *LABOUR, "--folds", "10"], "read as they are"),
        (["compare", *LABOUR, "--folds", "10", "--resampling", "kfold:10"], "not both"),
        (["compare", *LABOUR, "--repeats", "10"], "--repeats needs --folds"),
        (["compare", *LABOUR, "--resampling", "kfold:x"], "must be kfold:10"),
        (["compare", *LABOUR, "--set", "draws"], "must be KEY=VALUE"),
        (["compare", *LABOUR, "--set", "nonsense=1"], "nonsense"),
        (["compare", *LABOUR, "--seed=-1"], "--seed must be"),
        (["compare", *LABOUR, "--n-jobs", "0"], "--n-jobs must be"),
        (["test", "correlated", "bundled:labour", "SVM", "DT"], 'Did you mean "correlated-ttest"?'),
        (["test", "correlated-ttest", "bundled:labour", "SVM", "SVM", "--rope", "0"], "A pair must be two models"),
        (
            ["test", "friedman-test", "bundled:uci", "rf", "svm"],
            "all models at once, not two: use bayescmp compare FILE",
        ),
        (["test", "nemenyi-test", "bundled:uci", "rf", "svm"], "--rope R --frequentist nemenyi-test."),
        (["test", "wilcoxon-test", "bundled:labour", "SVM", "DT"], "use correlated-ttest or corrected-ttest."),
        (["compare", *LABOUR, "--control", "SVM", "--against", "best"], "Give --control or --against best, not both."),
        (["compare", "bundled:uci", "--rope", "0.01,0.02"], "Invalid value for '--rope': must contain 0"),
        (["compare", *LABOUR, "--metric", "f1"], "but --metric was given"),
        (["compare", "bundled:uci", "--rope", "0", "--set", "prior=x"], "--set prior must be one of corani2017, "),
        (["compare", *LABOUR, "--top", "0"], "--top must be at least 1, got 0."),
        (["compare", *LABOUR, "--top", "2", "--format", "latex"], "--top is for --format table, json and csv"),
        (["compare", *LABOUR, "--json", "--format", "csv"], "Give --json or --format csv, not both."),
        (["plot", "hdi", *LABOUR, "-o", "x.pdf"], "hdi shows one pair: add --pair A B, with two of "),
        (["power", "--effect", "0.5"], "got --effect 0.5, no --n, --alpha 0.05, no --power."),
        (["nothing"], "No such command"),
    ],
    ids=lambda x: " ".join(map(str, x)) if isinstance(x, list) else "",
)
def test_bad_input_is_told_and_ends_with_2(arguments, message):
    said = bad(*arguments)
    assert message in said
    assert not IN_PYTHON.search(said), said


def test_bad_bytes_and_an_empty_standard_input():
    assert '"standard input" is empty' in bad("check", "-", text=" \n")
    assert "must be text in UTF-8" in bad("check", "-", text=b"\xff\xfe\x00")


def test_a_traceback_only_where_asked_for(tmp_path):
    result = started("check", tmp_path / "nowhere.csv")
    assert (result.returncode, result.stdout) == (2, "")
    assert re.fullmatch(r"Error: There is no file [^\n]*\n", result.stderr)
    assert "Traceback" in started("--debug", "check", tmp_path / "nowhere.csv").stderr


def test_warnings_are_one_line_each_and_can_be_silenced(folder):
    constant = "fold,rf,svm\n" + "\n".join(f"{i},0.9,0.8" for i in range(5))
    call = ("test", "correlated-ttest", "-", "rf", "svm", "--rope", "0.01", "--metric", "accuracy")
    result = run(*call, text=constant)
    assert result.exit_code == 0
    assert re.fullmatch(r"Warning: rf vs svm: [^\n]*\n", result.stderr)
    assert run(*call, "--quiet", text=constant).stderr == ""
    data = json.loads(good(*call, "--quiet", "--format", "json", text=constant))
    assert len(data["warnings"]) == 1


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
@pytest.mark.parametrize("command", ["compare", "test"])
def test_not_converged_ends_with_3_and_says_why(command, quiet, folder, monkeypatch):
    monkeypatch.setattr("bayescmp.bayes.hierarchical.inference.NUMERICAL_ERROR_LIMIT", -1)
    names = ["rf", "svm"] if command == "test" else []
    before = ["test", "hierarchical-ttest"] if command == "test" else ["compare"]
    call = [*before, folder / "many.csv", *names, "--rope", "0.01", *quiet]
    result = run(*call)
    assert result.exit_code == 3
    assert "Not converged: The quadrature's error" in result.stderr
    assert "rf" in result.stdout
    assert json.loads(run(*call, "--format", "json").stdout)["converged"] is False


@pytest.mark.slow
def test_nuts_that_did_not_converge_ends_with_3():
    short = "--set engine=nuts --set draws=20 --set tune=20 --set chains=2 --set cores=1 --seed 1"
    result = run("test", "correlated-ttest", "bundled:labour", "SVM", "DT", "--rope", "0.01", *short.split())
    assert result.exit_code == 3
    assert "Not converged: The draws cannot be trusted" in result.stderr
    assert result.stdout.startswith("NOT CONVERGED")


def test_an_error_of_ours_asks_for_a_report(monkeypatch):
    monkeypatch.setattr(bc, "load_labour", lambda: 1 / 0)
    result = run("check", "bundled:labour")
    assert result.exit_code == 1
    assert "unexpected ZeroDivisionError" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
def test_interrupted_is_one_line_and_130():
    waiting = (
        "import bayescmp, time\nbayescmp.load_labour = lambda: (print('here', flush=True), time.sleep(60))\n"
        "from bayescmp.cli import main\nmain(prog_name='bayescmp')"
    )
    call = [sys.executable, "-c", waiting, "check", "bundled:labour"]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "here\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, "Interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
@pytest.mark.parametrize("module", ["dataclasses", "click", "bayescmp.cli.power"])
def test_interrupted_imports_are_one_line_and_130(module):
    """A real Ctrl-C at the moment when a module is looked for."""
    struck = (
        "import os, runpy, signal, sys\n"
        "class Strike:\n"
        "    def find_spec(name, *_):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Strike)\n"
        "runpy.run_module('bayescmp', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", struck, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
def test_a_reader_that_leaves_is_no_error(tmp_path):
    models = {f"m{i}": [i + d % 3 for d in range(6)] for i in range(40)}
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"dataset": [f"d{d}" for d in range(6)]} | models))
    options = ["--rope", "0", "--bayes", "sign-test", "--lower-is-better", "--format", "json", "-q"]
    call = shlex.join([*PROGRAM, "compare", str(path), *options])
    result = subprocess.run(["sh", "-c", f"{call} | head -1"], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("{\n", "")


def test_the_table_is_the_comparison_as_python_prints_it(folder):
    path = folder / "hostile.json"
    shown = good("compare", path, "--rope", "0.01", "--bayes", "sign-test", "--control", HOSTILE[7], "-q")
    c = bc.compare(bc.read_scores(path), rope=0.01, bayes="sign_test", control=HOSTILE[7])
    assert shown.rstrip("\n") == str(c)
    rows = [line for line in shown.splitlines() if line.startswith("n" * 20 + "..." + "n" * 17 + "  ")]
    assert len(rows) == 7 + 1  # one line per pair, however long the name, and its line in the ranking
    assert max(map(len, rows)) < 160


def test_the_shell_completes_by_the_program_itself():
    environment = {"_BAYESCMP_COMPLETE": "bash_complete", "COMP_WORDS": "bayescmp test cor", "COMP_CWORD": "2"}
    call = [sys.executable, "-c", "from bayescmp.cli import main\nmain(prog_name='bayescmp')"]
    assert started(command=call, **environment).stdout.split() == ["plain,correlated-ttest", "plain,corrected-ttest"]


def completed(*words):
    """What the last word can become, as the shell asks for it."""
    complete = ShellComplete(main, {}, "bayescmp", "_BAYESCMP_COMPLETE")
    return [
        item.value if item.type == "plain" else item.type for item in complete.get_completions([*words[:-1]], words[-1])
    ]


def test_the_adjustments_are_those_of_python():
    with pytest.raises(ValueError, match="must be one of " + ", ".join(ADJUSTMENTS) + ", got"):
        bc.frequentist.adjust_p_values([0.1], "magic")


def test_commands_tests_and_kinds_complete():
    assert completed("pl") == ["plan", "plot"]
    assert completed("plot", "p") == ["p_best", "posterior", "prior_sensitivity"]
    assert completed("compare", "x.csv", "--bayes", "si") == ["signed-rank-test", "sign-test"]
    assert completed("compare", "x.csv", "--frequentist", "wil") == ["wilcoxon-test"]
    assert completed("compare", "x.csv", "--adjust", "b") == ["bonferroni", "bh", "by", "bergmann-hommel"]
    assert completed("power", "--test", "s") == ["sign-test"]


def test_files_models_and_datasets_complete(folder, tmp_path):
    assert completed("compare", "bundled:u") == ["bundled:uci"]
    assert completed("compare", "res") == ["file"]
    seeds = str(
        folder / "seeds.csv"
    )  # read only if it is said whether its runs are paired: names are there all the same
    for before in (
        ("compare", seeds, "--control"),
        ("compare", seeds, "--model", "svm", "--model"),
        ("plot", "hdi", seeds, "--pair"),
        ("plot", "hdi", seeds, "--pair", "svm"),
        ("test", "welch-ttest", seeds),
        ("test", "welch-ttest", seeds, "svm"),
        ("gate", "--file", seeds),
        ("plan", seeds, "--pair"),
    ):
        assert completed(*before, "r") == ["rf"], before
        assert completed(*before, "") == ["rf", "svm"], before
    assert completed("gate", "r") == ["file"]
    many = str(folder / "many.csv")
    assert completed("check", many, "--dataset", "d") == ["d0", "d1", "d2", "d3", "d4"]
    unnamed = tmp_path / "unnamed.csv"
    unnamed.write_text("model;set;points\n" + "".join(f"{m};{d};{d}\n" for m in "xyz" for d in range(3)))
    columns = ("--column", "dataset=set", "--column", "score=points")
    assert completed("compare", str(unnamed), *columns, "--control", "") == ["x", "y", "z"]
    plain = tmp_path / "plain.csv"
    plain.write_text("x,y\n" + "".join(f"{i},{i + 1}\n" for i in range(9)))
    assert completed("compare", str(plain), "--control", "") == ["x", "y"]
    assert completed("compare", "nowhere.csv", "--control", "") == []


# ---- help, colours, the best models


@pytest.mark.parametrize("name", [None, *main.commands])
def test_the_examples_of_the_help_run(name, tmp_path, monkeypatch):
    """In an empty folder with the bundled results as results.csv; a command's own examples call that command."""
    lines = re.findall(r"^ +(bayescmp .+)$", good(*filter(None, [name]), "--help").partition("Examples:")[2], re.M)
    assert lines
    bc.load_uci().select(models=["rf", "gbm", "svm"]).to_frame().to_csv(tmp_path / "results.csv", index=False)
    monkeypatch.chdir(tmp_path)
    for line in lines:
        words = shlex.split(line)[1:]
        assert name in (None, words[0])
        more = ["--overwrite"] if "demo" in words else []
        assert run(*words, *more).exit_code in ((0, 4) if name == "gate" else (0,)), line


def test_json_is_short_for_its_format():
    for call in (("compare", *LABOUR), ("check", "bundled:labour"), ("power", "--effect", 0.5, "--n", 20)):
        assert good(*call, "--json") == good(*call, "--format", "json")


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)],
    ids=str,
)
def test_decisions_are_colored_on_a_terminal_only(environment, colored):
    call = ["compare", "bundled:uci", "--rope", "0.01", "--bayes", "sign-test", "-q"]
    models = [word for name in ("rf", "nb", "gbm") for word in ("--model", name)]
    piped = started(*call, *models).stdout
    assert "\x1b" not in piped
    shown = on_terminal([*call, *models], {"TERM": "xterm-256color"} | environment)
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == piped
    c = bc.compare(bc.load_uci().select(models=["rf", "nb", "gbm"]), rope=0.01, bayes="sign_test")
    for pair in c.pairs:
        line = next(x for x in shown.splitlines() if x.split()[:2] == [pair.a, pair.b])
        decided = pair.decision is not bc.Decision.UNDECIDED
        assert bool(re.search(r"\x1b\[[\d;]+m(most probable: [\w ]+)\x1b\[0m$", line)) == (colored and decided)
    assert {pair.decision for pair in c.pairs} >= {bc.Decision.A_BETTER, bc.Decision.B_BETTER}
    verdict = on_terminal(["gate", "nb", "rf", "--file", "bundled:uci", "--rope", "0"], {"TERM": "xterm"} | environment)
    assert verdict.startswith("\x1b[32m\x1b[1mPASS\x1b[0m:" if colored else "PASS:")


def on_terminal(arguments, environment):
    """What a terminal is sent."""
    import pty

    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | environment
    with subprocess.Popen([*PROGRAM, *arguments], stdout=theirs, stderr=subprocess.DEVNULL, env=environment):
        os.close(theirs)
        parts = []
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(ours, 65536):
                parts.append(part)
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_colored_table_has_no_color_of_a_name(folder):
    c = bc.compare(bc.read_scores(folder / "hostile.json"), rope=0, bayes="sign_test")
    text = c.to_text(color=True)
    assert "\x1b[31m" not in text
    assert re.sub(r"\x1b\[(1|1;38;5;\d+|38;5;\d+|0)m", "", text) == c.to_text()


def test_the_best_models_of_many(tmp_path):
    """--top shows fewer pairs of the same comparison: the adjusted p-values stay those of all pairs."""
    models = {f"m{i:02}": [(i + d * (i % 3 + 1)) % 17 + i for d in range(9)] for i in range(12)}
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"dataset": [f"d{d}" for d in range(9)]} | models))
    call = ("compare", path, "--rope", 0, "--bayes", "sign-test", "--higher-is-better", "-q")
    every, three = (json.loads(good(*call, "--json", *more)) for more in ((), ("--top", 3)))
    best = [row["model"] for row in every["ranking"][:3]]
    assert [row["model"] for row in three["ranking"]] == best
    assert three["pairs"] == [pair for pair in every["pairs"] if {pair["a"], pair["b"]} <= set(best)]
    assert len(three["pairs"]) == 3
    rows = list(csv.DictReader(io.StringIO(good(*call, "--format", "csv", "--top", 3))))
    assert [(row["a"], row["b"]) for row in rows] == [(pair["a"], pair["b"]) for pair in three["pairs"]]
    text, all_text = good(*call, "--top", 3), good(*call)
    assert [line.split()[:2] for line in text.splitlines() if re.match(r"m\d\d +m\d\d ", line)] == [
        [pair["a"], pair["b"]] for pair in three["pairs"]
    ]
    assert text.splitlines()[0] == all_text.splitlines()[0]
    assert "66 pairs: " in text
    assert "66 pairs: " in all_text
    assert "every pair: --format csv; those of the best models: --top 5" in all_text
    against = json.loads(good(*call, "--json", "--top", 2, "--control", "m00"))
    assert [pair["a"] for pair in against["pairs"]] == ["m00", "m00"]
    assert {pair["b"] for pair in against["pairs"]} == set(best[:2])


# ---- the transcripts of the README and the docs


def transcripts(path):
    """(command, what it prints) of every ```console block."""
    for block in re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.S):
        parts = re.split(r"^\$ ", block, flags=re.M)[1:]
        for part in parts:
            command, _, shown = part.partition("\n")
            yield command, shown


ROOT = Path(__file__).parents[1]
EXAMPLES = sorted({x for name in ("README.md", "docs/cli.md") for x in transcripts(ROOT / name)})


@pytest.mark.parametrize("test", ["welch-ttest", "frequentist.welch-ttest"])
def test_welch_of_folds_is_refused(test):
    rope = ("--rope", 0.01) if test == "welch-ttest" else ()
    asked = bad("test", test, "bundled:labour", "SVM", "DT", *rope)
    assert "belong together" in asked
    assert "If they are independent runs, use --resampling runs." in asked


def test_check_of_runs_names_the_tests_of_both_schools(folder):
    asked = bad("check", folder / "seeds.csv")
    assert 'The column "seed" does not show whether the runs of two models belong together' in asked
    shown = good("check", folder / "seeds.csv", "--resampling", "runs")
    assert "independent runs (6 scores each)" in shown
    assert "frequentist.welch_ttest" in shown
    assert "bayes.welch_ttest" in shown
    ragged = "model,seed,accuracy\nrf,1,0.9\nrf,2,0.8\nrf,3,0.7\nsvm,7,0.6\nsvm,8,0.7\n"
    data = json.loads(good("check", "-", "--resampling", "runs", "--format", "json", text=ragged))
    assert data["tables"][0]["missing"] == []
    assert data["tables"][0]["datasets"][0] == {
        "name": "dataset",
        "scores": 3,
        "resampling": "independent runs",
        "rho": 0.0,
    }
    compared = json.loads(good("compare", "-", "--rope", 0, "--resampling", "runs", "--format", "json", text=ragged))
    assert (compared["settings"]["bayes"], compared["settings"]["frequentist"]) == ("welch_ttest", "welch_ttest")


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_transcripts_print_what_is_shown(command, shown, tmp_path, monkeypatch):
    """Commands that write a file or need one start from an empty folder with the bundled results as results.csv."""
    first, *_ = words = shlex.split(command)
    assert first == "bayescmp"
    if "results.csv" in words:
        bc.load_uci().select(models=["rf", "gbm", "svm"]).to_frame().to_csv(tmp_path / "results.csv", index=False)
    monkeypatch.chdir(tmp_path)
    result = run(*words[1:])
    assert eight_digits(result.stdout + result.stderr) == eight_digits(shown)


def eight_digits(text):
    """The last bits of a number depend on the machine and on scipy, and so does the path of a chain, of two digits."""
    text = re.sub(r"(?<= )(0\.\d\d|1\.00) +(\d\.\d(?= )|$)?", "P ", text, flags=re.M)
    return re.sub(r"-?\d*\.\d{8,}(e-?\d+)?", lambda found: f"{float(found[0]):.8g}", text)


def test_there_are_transcripts():
    assert len(list(transcripts(ROOT / "README.md"))) >= 1
    assert len(EXAMPLES) == len({command for command, _ in EXAMPLES}) >= 6
