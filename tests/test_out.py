"""Nothing wrong comes out: rounding, numbers of draws, files, foreign errors and what is printed."""

import os
import socket
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import checks
from bayescmp.bayes import MultilevelPrior, signed_rank
from bayescmp.bayes.signed_rank import SignedRankInference, _plain, share_draws

# ---- each dataset has its own rounding error


def one_dataset_is_huge(last=0.0):
    """Six differences of .01, and a dataset with scores around 1e13, whose last digit is 0.002."""
    b = np.array([0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 1e13])
    a = b + 0.01
    a[6] = b[6] + last
    return a, b


@pytest.mark.parametrize(("last", "low", "high"), [(0.0, 1, 1), (-1.0, 0.885, 0.897)])
def test_signed_rank_test_has_a_rounding_error_for_each_dataset(last, low, high):
    """With the largest error for all, every sum of two was a tie: P = .5 for either side.

    A loss of 1 on the large dataset outweighs any gain of .01: A is better as long as (1 - w)^2 is above 1/2.
    """
    p = bc.bayes.signed_rank_test(*one_dataset_is_huge(last), rope=0, mixed_units=True, random_seed=1)
    assert low <= p.p_better <= high


def test_rank_models_by_score_has_a_rounding_error_for_each_dataset():
    """Where the large dataset has little weight, its rounding error does not hide the six differences."""
    a, b = one_dataset_is_huge()
    names = [f"d{i}" for i in range(7)]
    frame = {"dataset": names * 2, "model": ["a"] * 7 + ["b"] * 7, "score": [*a, *b]}
    scores = bc.Scores.from_frame(pd.DataFrame(frame), higher_is_better=True)
    r = bc.bayes.rank_models(scores, rope=0, by="score", mixed_units=True, random_seed=1)
    # a tie where .01 (1 - w) is below the rounding error w 8 eps 1e13, with w ~ Beta(1, 6)
    error = 8 * np.finfo(float).eps * 1e13
    tied = (error / (0.01 + error)) ** 6
    assert r.p_best["a"] == pytest.approx(1 - tied / 2, abs=0.005)
    assert r.p_better("a", "b") == pytest.approx(r.p_best["a"])
    assert r.mean["a"] == pytest.approx(1e13 / 7, rel=0.02)
    assert r.draws().mean(axis=0)[0] == pytest.approx(r.mean["a"])


def brute_force(z, errors, weights, rope):
    """theta by the sum over all pairs."""
    total = z[:, None] + z
    tolerance = errors[:, None] + errors
    products = np.einsum("id,jd->ijd", weights, weights) / weights.sum(axis=0) ** 2
    above, below = (
        np.where(np.abs(total - 2 * border) <= tolerance, 0.5, sign * (total - 2 * border) > 0)
        for border, sign in ((rope.high, 1), (rope.low, -1))
    )
    better, worse = ((share[:, :, None] * products).sum(axis=(0, 1)) for share in (above, below))
    return np.stack([better, 1 - better - worse, worse])


@pytest.mark.parametrize("size", [1e-15, 0.05, 1.0])
@pytest.mark.parametrize("width", [0.0, 0.1])
def test_walsh_sums_carry_the_rounding_errors_of_both(rng, size, width):
    n, rope = 12, bc.Rope(-width, width)
    z, errors = rng.normal(size=n).round(1), rng.exponential(size, n)
    inference = SignedRankInference(z, tuple("abcdefghijkl"), errors, 0.0, 0.0, 1000, 1)
    weights = rng.exponential(size=(n, 20))
    assert np.allclose(inference._plan([rope]).theta(weights)[0], brute_force(z, errors, weights, rope))
    assert inference._plan([rope]).one_order or size > 0.01
    weight = inference._plan([rope]).theta(np.ones((n, 1)))[0, :, 0]
    assert inference.summaries([rope])[0].expected == pytest.approx(weight, abs=0.1)


def test_large_rounding_errors_leave_the_other_pairs_their_compiled_loop(monkeypatch):
    _, b = one_dataset_is_huge()
    other = b - 0.02
    a = b + np.array(
        [-0.01, 0.03, 0.005, 0.01, -0.01, 0.01, -0.01953125]
    )  # the last may be above -0.01, but not -0.005
    calm = np.append(a[:6], 1e13 + 5)
    options = {"rope": 0, "draws": 2000, "random_seed": 1, "prior": 0, "mixed_units": True}
    results = [bc.bayes.signed_rank_test(x, b, **options) for x in (a, calm, other)]
    plans = [result.inference._plan([result.rope]) for result in results]
    assert [plan.one_order for plan in plans] == [False, True, True]
    monkeypatch.setattr(signed_rank, "LEAST_WORK", 0)
    fast = share_draws(results)
    shares, _ = _plain([result.inference for result in results], plans, [results[0].rope], np.empty((3, 0)))
    assert np.allclose([list(p.probabilities.values()) for p in fast], shares[:, 0])


def test_rounding_on_the_logit_scale_is_small_near_0_and_large_near_1():
    pairs = [
        bc.Scores.from_arrays({"a": x, "b": x / 2}, resampling=bc.Resampling.kfold(2), higher_is_better=True)
        .transform("logit")
        .pair("a", "b")
        for x in (np.array([1e-9, 2e-9]), 1 - np.array([1e-9, 2e-9]))
    ]
    assert pairs[0].rounding[0] < 1e-13
    assert 1e-7 < pairs[1].rounding[0] < 1e-5


# ---- enough draws behind every probability


def few_draws():
    uci = bc.load_uci()
    pair = uci.pair("rf", "svm")
    nuts = {"engine": "nuts", "draws": 100, "chains": 2}
    return {
        "signed_rank_test": lambda: bc.bayes.signed_rank_test(pair, rope=0.01, draws=3),
        "signed_rank_tests": lambda: bc.bayes.signed_rank_tests([pair], rope=0.01, draws=999),
        "rank_models": lambda: bc.bayes.rank_models(uci, rope=0.01, draws=3),
        "rank_models, folds": lambda: bc.bayes.rank_models(uci.select(datasets=["iris"]), rope=0.01, draws=3),
        "bradley_terry": lambda: bc.bayes.bradley_terry(uci, rope=0, draws=3),
        "plackett_luce": lambda: bc.bayes.plackett_luce(uci, draws=3),
        "compare": lambda: bc.compare(uci, rope=0.01, bayes="signed_rank_test", bayes_options={"draws": 3}),
        "ranking_posterior": lambda: bc.compare(bc.load_domains(), rope=1).ranking_posterior(draws=3),
        "nuts, signed_rank_test": lambda: bc.bayes.signed_rank_test(pair, rope=0.01, **nuts),
        "nuts, sign_test": lambda: bc.bayes.sign_test(pair, rope=0.01, **nuts),
        "nuts, hierarchical_ttest": lambda: bc.bayes.hierarchical_ttest(pair, rope=0.01, **nuts),
        "nuts, bradley_terry": lambda: bc.bayes.bradley_terry(uci, rope=0, **nuts),
        "nuts, plackett_luce": lambda: bc.bayes.plackett_luce(uci, **nuts),
        "nuts, multilevel": lambda: bc.bayes.multilevel(bc.load_domains(), rope=1, **nuts),
    }


@pytest.mark.parametrize("name", list(few_draws()))
def test_too_few_draws_are_refused(monkeypatch, name):
    """Three draws gave P = 0/1/0, and an interval that did not hold its mean."""
    monkeypatch.setattr(checks, "LEAST_DRAWS", 1000)
    with pytest.raises(ValueError, match=r"`draws` must be (at least 1,000|a whole number of at least 4000)") as error:
        few_draws()[name]()
    if "nuts" in name:
        assert "over all chains" in str(error.value)
        assert "got 100 in each of 2, 200 together" in str(error.value)


def test_a_thousand_draws_are_needed_outside_this_suite(monkeypatch):
    code = "from bayescmp import checks; print(checks.LEAST_DRAWS)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1000\n"
    monkeypatch.setattr(checks, "LEAST_DRAWS", 1000)
    p = bc.bayes.signed_rank_test(bc.load_uci().pair("rf", "svm"), rope=0.01, draws=1000, random_seed=1)
    assert p.draws(3).shape == (3, 3), "draws to look at may be few"


# ---- files that exist


@pytest.fixture(scope="module")
def labour_c():
    return bc.compare(bc.load_labour(), rope=0.01)


def writers(c):
    axes = bc.plots.plot_differences(bc.load_labour().pair("SVM", "DT"))
    return {
        "report.html": c.report,
        "report.md": c.report,
        "report.tex": c.report,
        "pairs.csv": c.to_csv,
        "figure.svg": lambda path, **options: bc.plots.save_figure(axes, path, **options),
        "text.txt": lambda path, **options: bc.reports.save_text(path, "a text", **options),
    }


posix = pytest.mark.skipif(os.name != "posix", reason="no named pipes and devices here")
NAMES = ["report.html", "report.md", "report.tex", "pairs.csv", "figure.svg", "text.txt"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("switch", ["False", "no", [1], 1, None])
def test_overwrite_must_be_a_switch(labour_c, tmp_path, name, switch):
    """The text "False" is true for Python, and replaced the file."""
    path = tmp_path / name
    path.write_text("mine")
    with pytest.raises(ValueError, match="`overwrite` must be True or False"):
        writers(labour_c)[name](path, overwrite=switch)
    assert path.read_text() == "mine"


@posix
@pytest.mark.parametrize("name", NAMES)
def test_a_named_pipe_is_written_into_and_stays_one(labour_c, tmp_path, name):
    pipe, plain = tmp_path / "pipe" / name, tmp_path / name
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match=r"exists already\. Use overwrite=True to write into it"):
        writers(labour_c)[name](pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    writers(labour_c)[name](pipe, overwrite=True)
    reader.join(timeout=60)
    writers(labour_c)[name](plain)
    assert found == [plain.read_bytes()]
    assert pipe.is_fifo()
    assert [p.name for p in pipe.parent.iterdir()] == [name]


@posix
def test_a_device_is_written_into_and_stays_one(labour_c, tmp_path):
    """As root, the null device became a regular file. A link to it has an ending that a report may have."""
    link = tmp_path / "report.html"
    link.symlink_to("/dev/null")
    labour_c.report(link, overwrite=True)
    bc.reports.save_text("/dev/null", "a text", overwrite=True)
    assert Path("/dev/null").is_char_device()
    assert link.is_symlink()


@posix
def test_standard_output_is_a_place_to_write_to():
    code = "import bayescmp as bc; bc.reports.save_text('/dev/stdout', 'a text', overwrite=True)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "a text"


@posix
def test_folders_and_sockets_are_refused(tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        bc.reports.save_text(tmp_path, "a text", overwrite=True)
    with socket.socket(socket.AF_UNIX) as listening:
        path = f"{tmp_path}/s"
        listening.bind(path)
        with pytest.raises(ValueError, match="is a block device or a socket"):
            bc.reports.save_text(path, "a text", overwrite=True)
        assert Path(path).is_socket()


@pytest.mark.parametrize("name", ["report.html", "report.md", "report.tex"])
def test_only_an_earlier_report_of_the_same_scores_is_replaced_unasked(labour_c, tmp_path, name):
    path = tmp_path / name
    labour_c.report(path)
    wider = bc.compare(bc.load_labour(), rope=0.05)
    before = path.read_text(encoding="utf-8")
    wider.report(path)
    assert path.read_text(encoding="utf-8") != before
    other = bc.compare(bc.load_domains(), rope=1)
    with pytest.raises(ValueError, match="exists already"):
        other.report(path)
    with pytest.raises(ValueError, match="exists already"):
        labour_c.to_csv(path)
    path.write_text("mine: " + bc.reports.data_hash(bc.load_labour()))
    with pytest.raises(ValueError, match="exists already"):
        labour_c.report(path)


@pytest.mark.parametrize("path", [None, 3, b"x.html", "", "a\0b.html", "x" * 5000 + ".html", ["a.html"]], ids=str)
@pytest.mark.parametrize("name", ["read_scores", "report.html", "pairs.csv", "figure.svg", "text.txt"])
def test_a_bad_path_is_refused(labour_c, name, path):
    write = bc.read_scores if name == "read_scores" else writers(labour_c)[name]
    if name == "figure.svg" and isinstance(path, str):
        path = path.replace("html", "svg")
    with pytest.raises(ValueError, match=r"`path` must be the path of a file|There is no file") as error:
        write(path)
    assert len(str(error.value)) < 300


# ---- errors that are ours, and nonsense that is refused

LABOUR = bc.load_labour()
UCI = bc.load_uci()
RAGGED = [[1, 2], [3]]
PRIOR = {"effects_scale": 0.1, "between_max": 1.0}


def design(**fields):
    return {"kind": "Resampling"} | fields


NONSENSE = {
    "MultilevelPrior of text": (lambda: MultilevelPrior(**PRIOR | {"effects_scale": "x"}), "`effects_scale` must be a"),
    "MultilevelPrior of a list": (lambda: MultilevelPrior(**PRIOR | {"between_max": [1]}), "`between_max` must be a"),
    "MultilevelPrior of None": (lambda: MultilevelPrior(**PRIOR, df_shape=None), "`df_shape` must be a number"),
    "MultilevelPrior of a switch": (lambda: MultilevelPrior(**PRIOR | {"effects_scale": True}), "`effects_scale` must"),
    "MultilevelPrior, huge": (lambda: MultilevelPrior(**PRIOR | {"between_max": 10**400}), "of ordinary size"),
    "MultilevelPrior, name": (lambda: MultilevelPrior(**PRIOR, name=3), "`name` must be a text"),
    "MultilevelPrior, covariance": (lambda: MultilevelPrior(**PRIOR, covariance=["a"]), "`covariance` must be"),
    "from_dict of None": (lambda: bc.Resampling.from_dict(None), "must be an object"),
    "from_dict of a number": (lambda: bc.Resampling.from_dict({3: 4}), "must be an object"),
    "from_dict, no rho": (lambda: bc.Resampling.from_dict(design(scheme="kfold")), 'must have "rho"'),
    "from_dict, text": (lambda: bc.Resampling.from_dict(design(scheme="custom", rho="x")), "must be a number"),
    "from_dict, list": (lambda: bc.Resampling.from_dict(design(scheme=["kfold"], rho=0.1)), "must be a text"),
    "from_sizes of None": (lambda: bc.Resampling.from_sizes(None, None), "one size per split"),
    "from_sizes of numbers": (lambda: bc.Resampling.from_sizes(50, 6), r"Resampling\.subsampling\(n_train, n_test"),
    "from_sizes, ragged": (lambda: bc.Resampling.from_sizes(RAGGED, RAGGED), "must be numbers"),
    "from_sizes, 2-D": (lambda: bc.Resampling.from_sizes([[9, 8]], [[1, 2]]), "one size per split"),
    "from_sizes of switches": (lambda: bc.Resampling.from_sizes([True], [True]), "must be numbers"),
    "from_sizes, folds": (lambda: bc.Resampling.from_sizes([9], [1], folds="x"), "`folds` must be a whole number"),
    "kfold, huge": (
        lambda: bc.Resampling.kfold(10**400),
        "at most 10,000,000 scores per dataset, got more for `folds`",
    ),
    "kfold, many": (
        lambda: bc.Resampling.kfold(10, 10**400),
        "at most 10,000,000 scores per dataset, got more for `repeats`",
    ),
    "custom of a switch": (lambda: bc.Resampling.custom(False), "`rho` must be in"),
    "custom of an array": (lambda: bc.Resampling.custom(np.array([0.1])), "`rho` must be in"),
    "subsampling, huge": (lambda: bc.Resampling.subsampling(1e308, 1e308, 10), "at most 1e.300, got more"),
    "drop of a Series": (lambda: UCI.drop(pd.Series(["rf"])), r"got a Series.*scores\.drop\(\*names\)"),
    "drop of a list": (lambda: UCI.drop(["rf"]), "got a list"),
    "drop of None": (lambda: UCI.drop(None), "got a NoneType"),
    "ragged, sign_test": (lambda: bc.bayes.sign_test(RAGGED, [1, 2], rope=0), "same number of resamples"),
    "ragged, friedman_test": (lambda: bc.frequentist.friedman_test(RAGGED), "rows of unequal lengths"),
    "ragged, mcnemar_test": (lambda: bc.frequentist.mcnemar_test(RAGGED, [1, 0]), "lists of unequal lengths"),
    "ragged, adjust": (lambda: bc.frequentist.adjust_p_values(RAGGED, "holm"), "lists of unequal lengths"),
    "rope_curve of bytes": (lambda: ttest().rope_curve(b"x"), "`ropes` must be a list"),
    "rope_curve of a dict": (lambda: ttest().rope_curve({0.1: 2}), "`ropes` must be a list"),
    "cdf of None": (lambda: ttest().cdf(None), "`x` must be numbers, got None"),
    "cdf of text": (lambda: ttest().cdf("1"), "`x` must be numbers, got '1'"),
    "cdf of bytes": (lambda: ttest().cdf(b"1"), "`x` must be numbers"),
    "cdf of a switch": (lambda: ttest().cdf(True), "`x` must be numbers, got True"),
    "cdf with a hole": (lambda: ttest().cdf([1, None]), "`x` must be numbers"),
    "ppf of None": (lambda: ttest().ppf(None), "`q` must be numbers"),
    "csv_text of nothing": (lambda: bc.reports.csv_text([]), "`rows` must be a list of at least one dict"),
    "csv_text of a number": (lambda: bc.reports.csv_text([3]), "`rows` must be a list of at least one dict"),
    "csv_text, other keys": (lambda: bc.reports.csv_text([{"a": 1}, {"b": 1}]), "all with the same keys"),
    "save_text of a number": (lambda: bc.reports.save_text("never.txt", 3), "`text` must be a text"),
}


def ttest():
    return bc.bayes.correlated_ttest(LABOUR.pair("SVM", "DT"), rope=0.01)


@pytest.mark.parametrize("name", list(NONSENSE))
def test_nonsense_is_refused_in_words(name):
    call, said = NONSENSE[name]
    with pytest.raises(ValueError, match=said) as error:
        call()
    assert len(str(error.value)) < 300


def test_numbers_of_every_kind_have_a_cdf():
    p = ttest()
    for x in (0, 0.0, np.float32(0), Decimal(0), Fraction(0), pd.Series([0.0])):
        assert np.allclose(p.cdf(x), p.cdf(0.0))
    assert p.cdf([]).shape == (0,)
    assert p.cdf([0, 10**300]).tolist() == [p.cdf(0.0), 1]


# ---- what is printed

HOSTILE = "\x1b[31mred\x07\nP(fake) 1.000\u202e"


def test_no_repr_and_no_csv_has_a_terminal_escape(rng):
    names = (HOSTILE, "plain", "third\x9b2J")
    frame = pd.DataFrame(
        [
            {
                "dataset": f"d{d}\x1b[2J",
                "model": m,
                "fold": f + 1,
                "accuracy": 0.6 + rng.random() / 10 + (m == HOSTILE) / 5,
            }
            for m in names
            for d in range(6)
            for f in range(5)
        ]
    )
    scores = bc.Scores.from_frame(frame, resampling=bc.Resampling.kfold(5))
    pair, one = scores.pair(HOSTILE, "plain"), scores.select(datasets=["d0\x1b[2J"])
    c = bc.compare(one, rope=0.01)
    shown = {
        "Scores": scores,
        "Pair": pair,
        "Pair, one dataset": pair.select("d0\x1b[2J"),
        "DifferencePosterior": bc.bayes.correlated_ttest(one.pair(HOSTILE, "plain"), rope=0.01),
        "RegionPosterior": bc.bayes.signed_rank_test(pair, rope=0.01, random_seed=1),
        "RankingPosterior": bc.bayes.rank_models(scores, rope=0.01, random_seed=1),
        "StrengthPosterior": bc.bayes.plackett_luce(scores, random_seed=1),
        "TestResult": bc.frequentist.wilcoxon_test(pair),
        "TestResult, many": bc.frequentist.friedman_test(scores),
        "PairwiseTests": bc.frequentist.pairwise_wilcoxon_test(scores),
        "PairResult": c.pairs[0],
        "Comparison": c,
    }
    assert HOSTILE in c.pairs[0].verdict.agreement
    for kind, result in shown.items():
        text = repr(result)
        assert text.replace("\n", "").isprintable(), kind
        assert not any(line.startswith("P(fake)") for line in text.splitlines()), kind
    assert r"\x1b[31mred\x07\nP(fake) 1.000\u202e" in repr(pair)
    csv = bc.reports.csv_text([pair.row() for pair in c.pairs])
    assert csv.replace("\n", "").isprintable()
    assert "\\x1b[31mred\\x07\nP(fake) 1.000\\u202e" in csv, "a line end is a part of the name"


def test_csv_keeps_tabs_line_ends_and_every_letter():
    text = bc.reports.csv_text([{"model": "a\tb\nc é 模型 👩‍💻 \x1b[0m", "score": 0.5}])
    assert text == 'model,score\n"a\tb\nc é 模型 👩‍💻 \\x1b[0m",0.5\n'
