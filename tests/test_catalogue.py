"""The catalogue: a test is one entry, and a test of one's own has everything that the built-in ones have."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import bayescmp as bc
from bayescmp import catalogue
from bayescmp.bayes import DifferencePosterior
from bayescmp.bayes.distributions import StudentT
from bayescmp.catalogue import Test
from bayescmp.cli import main
from bayescmp.frequentist import TestResult
from bayescmp.references import Reference
from bayescmp.scores.inputs import one_dataset

WORK = Reference("doe2026mean", "Doe, 2026", "Doe, Jane", 2026, "A mean", "article", (("journal", "Means"),))


def plain_mean_test(pair, *, rope):
    """A Student posterior of the mean difference that treats the folds as independent."""
    pair = one_dataset(pair, test="plain_mean_test")
    d = pair.differences[0]
    scale = float(d.std(ddof=1) / np.sqrt(d.size))
    return DifferencePosterior(
        **pair.about() | {"n": d.size},
        rope=bc.Rope.of(rope),
        engine="exact",
        **BAYES.words(),
        distribution=StudentT(float(d.mean()), scale, d.size - 1.0),
    )


def plain_z_test(pair):
    """The normal test of the mean difference."""
    pair = one_dataset(pair, test="plain_z_test")
    d = pair.differences[0]
    z = float(d.mean() / (d.std(ddof=1) / np.sqrt(d.size)))
    return TestResult(
        **pair.about(models=True),
        method="plain z-test",
        statistic=z,
        statistic_name="z",
        p_value=float(2 * stats.norm.sf(abs(z))),
        n=d.size,
        estimate=float(d.mean()),
    )


BAYES = Test(
    name="plain_mean_test",
    school="bayes",
    function=f"{__name__}:plain_mean_test",
    designs=("folds",),
    label="plain mean test",
    why="as a test of the catalogue",
    gives="It gives the posterior of the mean",
    estimand="mean difference on this dataset",
    sibling="plain_z_test",
    citations=(WORK,),
)
FREQUENTIST = Test(
    name="plain_z_test",
    school="frequentist",
    function=f"{__name__}:plain_z_test",
    designs=("folds",),
    label="plain z-test",
    why="as a test of the catalogue",
    sibling="plain_mean_test",
)


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(catalogue, "_TESTS", dict(catalogue._TESTS))
    for test in (BAYES, FREQUENTIST):
        assert catalogue.register(test) is test


def cli(*arguments):
    result = CliRunner().invoke(main, list(map(str, arguments)), prog_name="bayescmp", catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_test_of_ones_own_has_everything(registered, tmp_path):
    """One entry each, and no other line: every number is scipy's, in every form that a comparison has."""
    scores = bc.load_labour()
    c = bc.compare(scores, rope=0.01, bayes="plain_mean_test", frequentist="plain_z_test")
    d = scores.pair("DT", "SVM").differences[0]
    t = stats.t(d.size - 1, d.mean(), stats.sem(d))
    pair = c.pair("DT", "SVM")
    assert pair.posterior.p_worse == pytest.approx(t.cdf(-0.01), rel=1e-9)
    assert pair.test.p_value == pytest.approx(2 * stats.norm.sf(d.mean() / -stats.sem(d)), rel=1e-9)
    assert c.setting.why[0] == "bayes.plain_mean_test: as asked; as a test of the catalogue"

    text = str(c)
    assert "bayes.plain_mean_test beside frequentist.plain_z_test, holm-adjusted" in text
    assert re.search(r"^DT +SVM +-0\.082 .* <\.001  SVM better$", text, re.M)
    assert c.table()["p_worse"].tolist() == [p.p_worse for p in c.posteriors]
    assert c.table(full=True)["n"].tolist() == [100] * 3
    assert c.table(full=True)["test_method"].unique().tolist() == ["plain z-test"]
    assert c.decisions()["mean_by_probability"].tolist()[1] == "SVM better"
    for kind in ("matrix", "forest"):
        assert c.plot(kind).get_figure() is not None
    assert len(c.plot("posterior", pair=("DT", "SVM")).get_lines()) > 0
    for ending, said in ((".html", "plain mean test"), (".md", "plain mean test"), (".tex", "plain mean test")):
        assert said in c.report(tmp_path / f"report{ending}").read_text(encoding="utf-8")
    methods = c.methods_text()
    assert "by the Bayesian plain mean test (Doe, 2026). It gives the posterior of the mean." in methods
    assert "we report the plain z-test, two-sided" in methods
    assert "@article{doe2026mean" in c.bibtex()
    assert bc.Comparison.from_json(c.to_json()) == c

    printed = cli(
        "compare", "bundled:labour", "--rope", 0.01, "--bayes", "plain-mean-test", "--frequentist", "plain-z-test"
    )
    assert printed.rstrip("\n") == text
    one = json.loads(cli("test", "plain-mean-test", "bundled:labour", "DT", "SVM", "--rope", 0.01, "--format", "json"))
    assert (one["test"], one["p_worse"]) == ("plain_mean_test", pair.posterior.p_worse)
    assert "plain z-test" in cli("test", "plain-z-test", "bundled:labour", "DT", "SVM")
    assert "plain-mean-test" in cli("test", "--help")


def test_without_a_design_there_is_no_ranking_and_nobody_says_there_was(registered, rng, tmp_path):
    """The folds' design is unknown to a test that needs none: the pairs stand, and the ranking says what it lacks."""
    arrays = {model: rng.random((1, 10)) for model in "abc"}
    c = bc.compare(bc.Scores.from_arrays(arrays, metric="accuracy"), rope=0.01, bayes="plain_mean_test")
    assert "No ranking: `rank_models` needs the resampling design" in str(c)
    assert "No ranking" in c.report(tmp_path / "report.md").read_text(encoding="utf-8")
    assert "is the best" not in c.methods_text()
    scores = bc.Scores.from_arrays(arrays, metric="accuracy", resampling=bc.Resampling.kfold(10))
    known = bc.compare(scores, rope=0.01, bayes="plain_mean_test")
    assert "model is the best from the joint posterior of all models (multivariate corr" in known.methods_text()


def test_a_comparison_by_a_test_that_is_not_there_is_not_read(monkeypatch, registered):
    text = bc.compare(bc.load_labour(), rope=0.01, bayes="plain_mean_test").to_json()
    monkeypatch.delitem(catalogue._TESTS, ("bayes", "plain_mean_test"))
    with pytest.raises(ValueError, match=r'no test "plain_mean_test".*import its module first'):
        bc.Comparison.from_json(text)


def test_the_setting_does_not_pick_it_by_itself(registered):
    """The first choice of a design stays what it is; asked for where it does not fit, the error names what does."""
    assert bc.compare(bc.load_labour(), rope=0.01).setting.bayes == "correlated_ttest"
    with pytest.raises(ValueError, match="must be one of hierarchical_ttest, signed_rank_test, sign_test for many"):
        bc.compare(bc.load_domains(), rope=1, bayes="plain_mean_test")


def nothing(pair, rope=None):
    """A test that forgets its result."""


def test_a_test_that_returns_something_else_is_named(registered):
    catalogue.register(replace(BAYES, function=f"{__name__}:nothing"))
    with pytest.raises(ValueError, match="nothing must return a Posterior, got NoneType"):
        bc.compare(bc.load_labour(), rope=0.01, bayes="plain_mean_test")
    catalogue.register(BAYES)
    catalogue.register(replace(FREQUENTIST, function=f"{__name__}:nothing"))
    with pytest.raises(ValueError, match="nothing must return a TestResult, got NoneType"):
        bc.compare(bc.load_labour(), rope=0.01, frequentist="plain_z_test")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"school": "likelihood"}, "`school` must be one of bayes, frequentist"),
        ({"designs": ("fold",)}, "`designs` must be among folds"),
        ({"name": "plain-mean"}, "`name` must be the name of a function"),
        ({"function": "plain_mean_test"}, '`function` must be "package.module:function"'),
        ({"pymc": "model"}, '`pymc` must be "package.module:function"'),
    ],
)
def test_an_entry_that_cannot_be(change, message):
    with pytest.raises(ValueError, match=message):
        replace(BAYES, **change)


def test_only_entries_are_registered_and_found():
    with pytest.raises(ValueError, match=r"must be a catalogue\.Test, got function"):
        catalogue.register(plain_mean_test)
    with pytest.raises(ValueError, match=r'no test "correlated_t"\. Did you mean "correlated_ttest"'):
        catalogue.find("correlated_t")
    with pytest.raises(ValueError, match="There is no test"):
        catalogue.find(3)


def test_a_package_that_announces_tests_is_imported_when_they_are_asked_for(monkeypatch):
    class Point:
        @staticmethod
        def load():
            catalogue.register(BAYES)

    monkeypatch.setattr(catalogue, "_TESTS", dict(catalogue._TESTS))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point] if group == "bayescmp.tests" else [])
    catalogue.load_installed.cache_clear()
    try:
        assert catalogue.find("plain_mean_test") is BAYES
    finally:
        catalogue.load_installed.cache_clear()


# ---- the built-in entries

EVERY = list(catalogue.entries(takes=None, kind=None))


@pytest.mark.parametrize("test", EVERY, ids=lambda test: f"{test.school}.{test.name}")
def test_every_entry_leads_somewhere(test):
    """Its function is the public one of that name, its sibling and its citations exist."""
    assert test.call is getattr(getattr(bc, test.school), test.name)
    for place in (test.together, test.batch, test.pymc):
        assert place is None or callable(catalogue.imported(place))
    if test.sibling:
        other = next(school for school in catalogue.SCHOOLS if school != test.school)
        assert catalogue.find(test.sibling, other)
    if test.corrected_by:
        assert catalogue.find(test.corrected_by, test.school)
    assert all(work.cite for work in bc.references.found(test.citations))
    assert test.why
    if test.school == "bayes" and test.takes == "pair":
        assert test.gives
        assert test.estimand


def test_every_design_has_a_first_choice_in_both_schools():
    for design in ("folds", "runs", "datasets", "datasets x folds", "datasets x runs"):
        for school in catalogue.SCHOOLS:
            assert next(catalogue.entries(school, design)), (design, school)


def test_no_test_is_asked_for_by_name_outside_the_catalogue():
    """Whoever needs to know a test asks its entry: no string comparison with a test's name in the package."""
    from pathlib import Path

    names = {test.name for test in EVERY} | {"correlated_t", "signed_rank", "hierarchical", "wilcoxon", "nemenyi"}
    pattern = re.compile(rf'(==|!=|\bin) \(?"({"|".join(names)})"')
    for path in Path(bc.__file__).parent.rglob("*.py"):
        assert not pattern.search(path.read_text(encoding="utf-8")), path
