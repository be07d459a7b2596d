"""The explanation pages run, quote no number that nothing backs, and agree with the functions that they are about."""

import re
from dataclasses import replace

import numpy as np
import pytest
from test_notebooks import CELL, ROOT, not_printed

import bayescmp as bc
from bayescmp.bayes.hierarchical.prior import PRESETS
from bayescmp.comparison.setting import choose_setting

DOCS = ROOT / "docs"
PAGES = [
    path
    for path in sorted(DOCS.glob("*.md"))
    if not path.is_symlink() and path.stem != "gallery" and "{code-cell}" in path.read_text("utf-8")
]
SLOW = {"hierarchical", "many_datasets", "rankings"}
QUOTED = {
    "compare": {"0.005"},  # a rope to try
    "correlated_folds": {"0.41", "0.65"}  # docs/calibration.md
    | set("0.368 0.041 0.137 0.584 0.029 0.111 0.037 0.151 0.009 0.066 0.084 .632 0.48".split()),  # 1,500 studies each
    "errata": {"0.07", "0.84", "1.914", "2.53"},  # what the sources print
    "hierarchical": {"0.5", "0.05", "0.15", "0.01", "0.1", "0.005"},  # priors, tested below, and the grid's tolerance
    "planning": set(
        "0.015 0.18 0.21 0.45 0.58 0.60 0.75 0.77 0.78 0.87 0.91 0.92 0.93 0.97".split()
    ),  # 300 pilots per test
    "rank_tests": {"0.75"},  # 0.86 - 0.85 equals 0.76 - 0.75
    "rankings": {"0.96", "0.75", "0.63", "1.01"},  # docs/calibration.md, and the limit of R-hat
    "rope_and_hdi": {"0.45", "0.55", "0.975", "2.5"},  # half of 5 % on each side, and a rope of P(win)
    "sign_test": {"0.86", "1e-11", "2e-7"},  # 0.86 - 0.85, and the tolerances of tests/test_sign.py
    "welch": {"0.04", "0.015"},  # tests/test_runs.py, test_how_far_welch_is_from_behrens_fisher
}
"""Numbers of the text that no cell prints, and where they come from."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_asks_refers_and_leads_on(path):
    page = path.read_text(encoding="utf-8")
    assert re.search(r"^# .+\n\n\*[^*]+\?[^*]*\*\n", page, re.M), "a page starts with the question that it answers"
    assert "\n## What to read next\n" in page
    assert "\n## References\n" in page
    assert page.count("```{code-cell}") == len(CELL.findall(page))
    for cell in CELL.finditer(page):
        if re.search(r"(\.figure|^figure)$", cell["code"].rstrip(), re.M):
            assert re.search(r'mystnb:\n  image:\n    alt: ".{60,}"\n', cell["yaml"] or ""), cell["code"]
    listed = (DOCS / "explanation.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert re.search(rf"^{path.stem}$", listed, re.M)


@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")  # given of bundled scores that tie
@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=pytest.mark.slow if p.stem in SLOW else (), id=p.stem) for p in PAGES]
)
def test_numbers_in_the_text_are_printed_or_quoted(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = path.read_text(encoding="utf-8")
    before, _, after = page.partition("\n## References\n")
    text = before + "".join(after.partition("\n## ")[1:])
    text = re.sub(r"\bsections? \d+(\.\d+)+( and \d+(\.\d+)+)*", "", text, flags=re.I)
    assert set(not_printed(text)) <= QUOTED.get(path.stem, set())


def rows(page, first):
    """The cells of a table whose header begins with `first`."""
    lines = (DOCS / page).read_text(encoding="utf-8").split(f"\n| {first} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def functions(cell):
    return tuple(re.findall(r"`(\w+)`", cell))


def scores(models, datasets, folds):
    if folds in ("right or wrong", "grades"):
        items = bc.load_items("accuracy" if folds == "right or wrong" else "probability")
        return items.select(models=items.models[:models], datasets=["digits"])
    bundled = bc.load_labour() if datasets == 1 else bc.load_uci()
    table = bundled.select(models=bundled.models[:models], datasets=bundled.datasets[:datasets])
    if folds == "runs":
        return replace(table, resampling=(bc.Resampling.runs(),) * datasets)
    if folds:
        return table
    means = table.values.mean(axis=2)
    return bc.Scores.from_arrays(
        dict(zip(table.models, means, strict=True)), metric="accuracy", datasets=table.datasets
    )


@pytest.mark.parametrize("row", rows("which_test.md", "you have"), ids=lambda row: row[0])
def test_the_table_of_tests_is_what_the_package_recommends_and_runs(row):
    models, datasets, folds = row[0].split(", ")
    one_score_in_all = (datasets, folds) == ("one dataset", "one score each")
    table = scores(
        {"two models": 2, "many models": 3}[models],
        {"one dataset": 1, "many datasets": 8}[datasets],
        {"folds": True, "one score each": False}.get(folds, folds),
    )
    advice = bc.frequentist.recommend(table)
    assert functions(row[1]) == advice.functions("Q1", "bayes")
    assert functions(row[2]) == advice.functions("Q1", "frequentist")
    assert functions(row[3]) == advice.functions("Q2", "frequentist")
    if one_score_in_all:
        with pytest.raises(bc.ScoresError, match=functions(row[2])[-2]):
            choose_setting(table, None, None)
        return
    setting = choose_setting(table, None, None)
    assert functions(row[1])[0] == setting.bayes
    if setting.name == "kxm":
        first = bc.compare(table, rope=0.01, bayes="sign_test").omnibus[0].method.split()[0].lower()
        assert functions(row[2])[0] == f"{first}_test"
        assert functions(row[2])[-1] == f"pairwise_{setting.frequentist}"
    else:
        assert functions(row[2])[0] == setting.frequentist


def test_the_table_of_compare_is_what_it_runs():
    bayes, frequentist, _ = rows("which_test.md", "`compare` runs")
    for column, (datasets, folds) in enumerate([(1, True), (8, True), (8, False), (1, "runs"), (8, "runs")], start=1):
        setting = choose_setting(scores(2, datasets, folds), None, None)
        assert (functions(bayes[column]), functions(frequentist[column])) == ((setting.bayes,), (setting.frequentist,))


def test_the_design_table_is_what_the_package_recommends():
    designs = {
        "(repeated) k-fold": bc.Resampling.kfold(10),
        "5 x 2-fold": bc.Resampling.kfold(2, repeats=5),
        "repeats of 3": bc.Resampling.kfold(3, repeats=4),
        "independent": bc.Resampling.independent(),
        "unpaired": bc.Resampling.runs(),
    }
    table = {row[0]: functions(row[1]) for row in rows("which_test.md", "design")}
    for start, design in designs.items():
        n = (design.folds or 12) * (design.repeats or 1)
        a, b = np.random.default_rng(1).uniform(0.6, 0.9, (2, n))
        advice = bc.frequentist.recommend(
            bc.Scores.from_arrays({"a": a, "b": b}, resampling=design, metric="accuracy")
        ).functions("Q1", "frequentist")
        (named,) = (names for label, names in table.items() if label.startswith(start))
        assert advice[: len(named)] == named


def test_the_priors_of_the_hierarchical_page_are_those_of_the_code():
    for preset, text in rows("hierarchical.md", "preset"):
        values = PRESETS[functions(preset)[0]]
        if found := re.findall(r"U\(([\d.]+), ([\d.]+)\)", text):
            assert [tuple(map(float, x)) for x in found] == [values["nu_shape"], values["nu_rate"]]
        elif values.get("gaussian"):
            assert "infinite" in text
        else:
            gamma = re.fullmatch(r"Gamma\((\d+), ([\d.]+)\)", text)
            shape, rate = map(float, gamma.groups()) if gamma else (1.0, 1 / int(re.search(r"1/(\d+)", text)[1]))
            assert values["nu_shape"] == (shape, shape)
            assert values["nu_rate"] == (rate, rate)
            assert values["nu_shift"] == (0.0 if gamma else 1.0)
