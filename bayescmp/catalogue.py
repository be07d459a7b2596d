"""One entry per test, of both schools: its name, function, the designs it fits, its sibling, what it estimates, what to
cite. Everything that needs to know a test asks here: `compare`, tables, reports, the command line, `recommend`.

The catalogue imports no test: an entry holds "module:function". `register` adds a test of your own, which then has
everything that the built-in ones have.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from bayescmp.errors import ScoresError, unknown_name
from bayescmp.references import Reference

SCHOOLS = ("bayes", "frequentist")
DESIGNS = {
    "folds": "one dataset, the scores of several folds or splits",
    "runs": "one dataset, independent runs that cannot be paired",
    "items": "one test set, right or wrong on every case",
    "graded items": "one test set, a grade on every case, several samples or runs, or clusters of cases",
    "datasets": "many datasets, one score each",
    "datasets x folds": "many datasets, the folds of each",
    "datasets x runs": "many datasets, independent runs on each that cannot be paired",
    "datasets x items": "many benchmarks, the items of each",
}
"""What scores can be, and so what a test can fit."""
MANY_DATASETS = ("datasets", "datasets x folds", "datasets x runs", "datasets x items")


@dataclass(frozen=True, kw_only=True)
class Test:
    """One test.

    Attributes
    ----------
    name : str
        The name of its function, by which it is called everywhere; with hyphens on the command line.
    school : "bayes" or "frequentist"
    function : str
        "package.module:function". A Bayesian test takes a `Pair` and `rope=`, and returns a `Posterior`; a frequentist
        one takes a `Pair` and returns a `TestResult`.
    designs : tuple of str
        The keys of `DESIGNS` that it fits.
    takes : "pair" or "scores"
        Whether it compares two models, or all models of `Scores` at once.
    kind : "test", "interval" or "effect size"
        What it gives. Intervals and effect sizes are here for `recommend`.
    label : str
        What it is called in tables and texts, such as "signed-rank test".
    why : str
        Why it fits its design, in half a sentence.
    gives : str
        A sentence about it for the methods paragraph, without its full stop.
    estimand : str
        What its numbers are about.
    new : str
        What its probabilities are about, where that is something new: "the next dataset".
    sibling : str, optional
        The test of the other school that it stands beside.
    citations : tuple
        Keys of `bayescmp.references.REFERENCES`, or a `Reference` of your own.
    seeded : bool
        Whether it draws random numbers.
    pairs_per_task : int
        How many pairs make a task of a second or so, for parallel runs; few where one pair takes long.
    threads : bool
        Whether its work releases Python's lock, so that threads serve parallel runs; else they are processes.
    together : str, optional
        "module:function" that answers many of its posteriors at once, for their own ropes or for others: (posteriors,
        pairs=, ropes=) -> posteriors.
    enlarged : str, optional
        "module:function" for plans: (posterior, pairs) -> three probabilities and losses of each pair, which is the
        posterior's own with more data, faster than testing it; or None where that cannot be had.
    batch : str, optional
        "module:function" that tests many pairs of `Scores` at once; it may return None where they have to be tested one
        by one. Of a frequentist test (scores, adjust=, control=, mixed_units=) -> `PairwiseTests`; of a Bayesian one
        (scores, names of the pairs, rope, and its options) -> `Posteriors`.
    batch_options : mapping
        Options of `batch`.
    family : bool
        Whether the test is one of all pairs together, which a single pair has no part of (Nemenyi).
    corrected_by : str, optional
        The test that corrects for overlapping training sets what this one ignores.
    least_p : bool
        Whether the p-value on n datasets cannot be below 2^(1 - n).
    pymc : str, optional
        "module:function" that makes its `pm.Model`.
    decides : str, optional
        "module:function" that knows without simulation how often it decides what: see `planning.exact`.
    advised : tuple of str
        The situations of `Facts.situations` in which `recommend` names it.
    questions : tuple of str
        "Q1" (is there a difference?), "Q2" (does it matter?), or both.
    needs_design, assumes_normal, caveat, large
        What `recommend` adds: that the design of the folds must be known; that fold scores should be about normal; a
        caveat; the numbers of datasets and models above which its approximation holds.

    See Also
    --------
    register, bayescmp.compare

    Examples
    --------
    >>> from bayescmp import catalogue
    >>> catalogue.find("sign_test", "bayes").sibling
    'sign_test'
    """

    __test__ = False  # not a test case, whatever pytest thinks of its name

    name: str
    school: str
    function: str
    designs: tuple[str, ...]
    label: str
    takes: str = "pair"
    kind: str = "test"
    why: str = ""
    gives: str = ""
    estimand: str = ""
    new: str = ""
    sibling: str | None = None
    citations: tuple[Reference | str, ...] = ()
    seeded: bool = False
    pairs_per_task: int = 64
    threads: bool = False
    together: str | None = None
    enlarged: str | None = None
    batch: str | None = None
    batch_options: Mapping[str, Any] = field(default_factory=dict)
    family: bool = False
    corrected_by: str | None = None
    least_p: bool = False
    pymc: str | None = None
    decides: str | None = None
    advised: tuple[str, ...] = ()
    questions: tuple[str, ...] = ("Q1",)
    needs_design: bool = False
    assumes_normal: bool = False
    caveat: str = ""
    large: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.school not in SCHOOLS:
            raise ValueError(f"`school` must be one of {', '.join(SCHOOLS)}, got {self.school!r}.")
        for design in self.designs:
            if design not in DESIGNS:
                raise ValueError(f"`designs` must be among {', '.join(DESIGNS)}, got {design!r}.")
        if not self.name.isidentifier():
            raise ValueError(f"`name` must be the name of a function, got {self.name!r}.")
        for name in ("function", "together", "enlarged", "batch", "pymc", "decides"):
            place = getattr(self, name)
            if place is not None and place.count(":") != 1:
                raise ValueError(f'`{name}` must be "package.module:function", got {place!r}.')

    @property
    def call(self) -> Callable[..., Any]:
        """The function that does it."""
        return imported(self.function)

    @property
    def command(self) -> str:
        """Its name on the command line."""
        return self.name.replace("_", "-")

    @property
    def many_datasets(self) -> bool:
        """Whether it compares over many datasets."""
        return any(design in MANY_DATASETS for design in self.designs)

    @property
    def slow(self) -> bool:
        """Whether one pair takes so long that a hundred are not computed for a detail of a report."""
        return self.pairs_per_task <= 4

    def words(self) -> dict[str, Any]:
        """The fields of a posterior that are the same for every pair."""
        return {"method": self.label, "estimand": self.estimand} | ({"new": self.new} if self.new else {})


def imported(place: str) -> Any:
    """What "module:name" names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def register(test: Test) -> Test:
    """Add a test to the catalogue: `compare`, tables, figures, reports, JSON and command line then have it.

    A test of the same name and school takes its place. An installed package that has an entry point of the group
    "bayescmp.tests", the name of a module that registers tests, is imported when an unknown test is asked for: so the
    command line has them too.

    Parameters
    ----------
    test : Test

    See Also
    --------
    Test : the entry.

    Examples
    --------
    >>> from bayescmp import catalogue
    >>> entry = catalogue.find("sign_test", "bayes")
    >>> catalogue.register(entry) is entry
    True
    """
    if not isinstance(test, Test):
        raise ValueError(f"`test` must be a catalogue.Test, got {type(test).__name__}.")
    _TESTS[test.school, test.name] = test
    return test


def find(name: str, school: str | None = None) -> Test:
    """The test of a name; where both schools have one of that name, the Bayesian one, unless a school is given.

    Parameters
    ----------
    name : str
        The name of its function.
    school : "bayes" or "frequentist", optional

    See Also
    --------
    entries : all of them.

    Examples
    --------
    >>> from bayescmp import catalogue
    >>> catalogue.find("wilcoxon_test").label
    'Wilcoxon signed-rank test'
    """
    for candidate in (*SCHOOLS, None, *SCHOOLS) if school is None else (school, None, school):
        if candidate is None:
            load_installed()
        elif isinstance(name, str) and (candidate, name) in _TESTS:
            return _TESTS[candidate, name]
    error = unknown_name("test", name, [test.name for test in entries(school)])
    raise ScoresError(f"{error} If it is a test of your own, import its module first.")


def entries(
    school: str | None = None, design: str | None = None, *, takes: str | None = "pair", kind: str | None = "test"
) -> Iterator[Test]:
    """The entries of a school, or of both, that fit a design, the first choice first.

    Parameters
    ----------
    school : "bayes" or "frequentist", optional
    design : str, optional
        A key of `DESIGNS`.
    takes : "pair", "scores" or None
        Whether they compare two models, or all models at once; None for both.
    kind : "test", "interval", "effect size" or None
        What they give; None for any.

    See Also
    --------
    find : one of them.

    Examples
    --------
    >>> from bayescmp import catalogue
    >>> [test.name for test in catalogue.entries("bayes", "datasets")]
    ['signed_rank_test', 'sign_test']
    """
    wanted = {"school": school, "takes": takes, "kind": kind}
    return (
        test
        for test in list(_TESTS.values())
        if all(value in (None, getattr(test, name)) for name, value in wanted.items())
        and (design is None or design in test.designs)
    )


@cache
def load_installed() -> None:
    """Import the modules of installed packages that register tests: their entry points of the group "bayescmp.tests".

    See Also
    --------
    register, find

    Examples
    --------
    >>> from bayescmp import catalogue
    >>> catalogue.load_installed()
    """
    from importlib.metadata import entry_points

    for point in entry_points(group="bayescmp.tests"):
        point.load()


_TESTS: dict[tuple[str, str], Test] = {}

NEXT = "the probabilities that the next dataset's difference is better, equivalent or worse"

for _entry in (
    # ---- Bayesian, the first choice of a design first
    Test(
        name="correlated_ttest",
        school="bayes",
        function="bayescmp.bayes:correlated_ttest",
        designs=("folds",),
        label="correlated t-test",
        why="fold results of one dataset, whose correlation follows from the design",
        gives="It gives the posterior of the mean difference on this dataset, a Student t that allows for the "
        "correlation of overlapping training sets",
        estimand="mean difference of the two models on this dataset",
        sibling="corrected_ttest",
        citations=("corani2015bayesian", "benavoli2017time"),
        batch="bayescmp.bayes.correlated_t:correlated_ttests",
        pymc="bayescmp.bayes.correlated_t:pymc_correlated_ttest",
        decides="bayescmp.planning.exact:correlated_ttest",
        advised=("folds",),
        questions=("Q1", "Q2"),
        needs_design=True,
        assumes_normal=True,
    ),
    Test(
        name="welch_ttest",
        school="bayes",
        function="bayescmp.bayes:welch_ttest",
        designs=("runs",),
        label="Welch t-test (Behrens-Fisher)",
        why="independent runs of each model, with nothing to pair them by",
        gives="It gives the posterior of the difference of the two models' means over runs",
        estimand="difference of the two models' means over runs",
        sibling="welch_ttest",
        citations=("box1973bayesian",),
        advised=("runs",),
        questions=("Q1", "Q2"),
        assumes_normal=True,
    ),
    Test(
        name="mcnemar_test",
        school="bayes",
        function="bayescmp.bayes:mcnemar_test",
        designs=("items",),
        label="McNemar test",
        why="right or wrong on every item: exact, by the items on which one model is right and the other wrong",
        gives="It gives the exact posterior of the difference of the two models' accuracies, from the items that only "
        "one of them gets right",
        estimand="difference of the accuracies of these trained models on items like these",
        sibling="mcnemar_test",
        citations=("mcnemar1947note",),
        batch="bayescmp.bayes.mcnemar:mcnemar_tests",
        pymc="bayescmp.bayes.mcnemar:pymc_mcnemar_test",
        decides="bayescmp.planning.exact:mcnemar_test",
        advised=("one score", "right or wrong"),
        questions=("Q1", "Q2"),
        caveat="needs the answer to every case; holds for these trained models only",
    ),
    Test(
        name="per_instance_ttest",
        school="bayes",
        function="bayescmp.bayes:per_instance_ttest",
        designs=("graded items", "items"),
        label="per-instance t-test",
        why="grades, several samples or runs per item, or clusters: the mean difference over items",
        gives="It gives the posterior of the mean difference over items, a Student t whose scale allows for clusters "
        "of items and for models that were trained several times",
        estimand="mean difference of these trained models on items like these",
        sibling="per_instance_ttest",
        citations=("miller2024adding",),
        pymc="bayescmp.bayes.per_instance:pymc_per_instance_ttest",
        advised=("one score", "graded items"),
        questions=("Q1", "Q2"),
        caveat="needs the answer to every case; holds for these trained models only, unless both were trained several "
        "times",
        assumes_normal=True,
    ),
    Test(
        name="hierarchical_ttest",
        school="bayes",
        function="bayescmp.bayes:hierarchical_ttest",
        designs=("datasets x folds", "datasets x runs", "datasets x items"),
        label="hierarchical correlated t-test",
        why="folds or runs on many datasets: uses every score and shrinks the datasets toward each other",
        gives=f"It models the scores of all datasets together and gives the posterior of {NEXT}",
        estimand="probabilities that the next dataset's difference is better / equivalent / worse",
        new="the next dataset",
        sibling="wilcoxon_test",
        citations=("corani2017statistical",),
        pairs_per_task=2,
        enlarged="bayescmp.bayes.hierarchical.enlarged:enlarged",
        pymc="bayescmp.bayes.hierarchical.ttest:pymc_hierarchical_ttest",
        advised=("folds of datasets", "runs of datasets"),
        questions=("Q1", "Q2"),
        needs_design=True,
    ),
    Test(
        name="signed_rank_test",
        school="bayes",
        function="bayescmp.bayes:signed_rank_test",
        designs=MANY_DATASETS,
        label="signed-rank test",
        why="one score per dataset: compares the averages of two differences",
        gives="It gives the posterior of the probabilities that the average difference of two new datasets is better, "
        "equivalent or worse",
        estimand="probabilities that the average difference of two new datasets is better / equivalent / worse",
        new="the average of the next two datasets",
        sibling="wilcoxon_test",
        citations=("benavoli2014wilcoxon", "benavoli2017time"),
        seeded=True,
        pairs_per_task=256,
        threads=True,
        together="bayescmp.bayes.signed_rank:share_draws",
        pymc="bayescmp.bayes.signed_rank:pymc_signed_rank_test",
        advised=("datasets",),
        questions=("Q1", "Q2"),
    ),
    Test(
        name="sign_test",
        school="bayes",
        function="bayescmp.bayes:sign_test",
        designs=MANY_DATASETS,
        label="sign test",
        why="counts the datasets on which each model is better, whatever the sizes of the differences",
        gives=f"It gives the posterior of {NEXT}",
        estimand="probabilities that the next dataset's difference is better / equivalent / worse",
        new="the next dataset",
        sibling="sign_test",
        citations=("benavoli2017time",),
        batch="bayescmp.bayes.sign:sign_tests",
        pymc="bayescmp.bayes.sign:pymc_sign_test",
        decides="bayescmp.planning.exact:sign_test",
        advised=("datasets",),
        caveat="weaker than signed_rank_test",
    ),
    # ---- Bayesian, of all models at once
    Test(
        name="rank_models",
        school="bayes",
        function="bayescmp.bayes:rank_models",
        designs=("folds", "runs", "items", "graded items", *MANY_DATASETS),
        takes="scores",
        label="ranking by the Bayesian bootstrap",
        why="P(best) and ranks of many models",
        estimand="the models' mean ranks or scores",
        citations=("rubin1981bootstrap",),
        seeded=True,
    ),
    Test(
        name="bradley_terry",
        school="bayes",
        function="bayescmp.bayes:bradley_terry",
        designs=MANY_DATASETS,
        takes="scores",
        label="Bradley-Terry model",
        why="which model wins on a dataset, by the wins of every pair",
        seeded=True,
        pymc="bayescmp.bayes.ranking.bradley_terry:pymc_bradley_terry",
    ),
    Test(
        name="plackett_luce",
        school="bayes",
        function="bayescmp.bayes:plackett_luce",
        designs=MANY_DATASETS,
        takes="scores",
        label="Plackett-Luce model",
        why="which model wins on a dataset, by the datasets' rankings of all models",
        seeded=True,
        pymc="bayescmp.bayes.ranking.plackett_luce:pymc_plackett_luce",
    ),
    Test(
        name="multilevel",
        school="bayes",
        function="bayescmp.bayes:multilevel",
        designs=("folds", "datasets", "datasets x folds"),
        takes="scores",
        label="multilevel model",
        why="one model of all models and datasets, which shrinks the differences",
        seeded=True,
        pymc="bayescmp.bayes.multilevel.joint:pymc_multilevel_of",
    ),
    # ---- frequentist
    Test(
        name="corrected_ttest",
        school="frequentist",
        function="bayescmp.frequentist:corrected_ttest",
        designs=("folds",),
        label="corrected resampled t-test",
        why="the t-test with the correction of Nadeau and Bengio for overlapping training sets",
        sibling="correlated_ttest",
        citations=("nadeau2003inference",),
        batch="bayescmp.frequentist:pairwise_ttest",
        advised=("overlapping folds",),
        needs_design=True,
        assumes_normal=True,
    ),
    Test(
        name="paired_ttest",
        school="frequentist",
        function="bayescmp.frequentist:paired_ttest",
        designs=("folds",),
        label="paired t-test, which treats the folds as independent",
        why="treats the folds as independent",
        sibling="correlated_ttest",
        batch="bayescmp.frequentist:pairwise_ttest",
        batch_options={"corrected": False},
        corrected_by="corrected_ttest",
        advised=("independent folds",),
        assumes_normal=True,
    ),
    Test(
        name="rxk_cv_ttest",
        school="frequentist",
        function="bayescmp.frequentist:rxk_cv_ttest",
        designs=("folds",),
        label="t-test for repeated cross-validation",
        why="repeated cross-validation, with calibrated degrees of freedom",
        sibling="correlated_ttest",
        citations=("bouckaert2003choosing",),
        advised=("repeated folds",),
        needs_design=True,
    ),
    Test(
        name="cv5x2_ftest",
        school="frequentist",
        function="bayescmp.frequentist:cv5x2_ftest",
        designs=("folds",),
        label="combined 5x2 cv F-test",
        why="made for five repeats of 2-fold cross-validation",
        sibling="correlated_ttest",
        citations=("alpaydin1999combined",),
        advised=("5x2 folds",),
        needs_design=True,
    ),
    Test(
        name="cv5x2_ttest",
        school="frequentist",
        function="bayescmp.frequentist:cv5x2_ttest",
        designs=("folds",),
        label="5x2 cv t-test",
        why="made for five repeats of 2-fold cross-validation",
        sibling="correlated_ttest",
        citations=("dietterich1998approximate",),
        needs_design=True,
    ),
    Test(
        name="cohens_d",
        school="frequentist",
        function="bayescmp.frequentist:cohens_d",
        designs=("folds", "graded items"),
        kind="effect size",
        label="Cohen's d",
        why="the difference in standard deviations of the scores",
        advised=("folds", "graded items, one run"),
        questions=("Q2",),
        caveat="judge the raw difference against your rope as well",
    ),
    Test(
        name="tost_ttest",
        school="frequentist",
        function="bayescmp.frequentist:tost_ttest",
        designs=("folds",),
        label="two one-sided t-tests of equivalence",
        why="whether the difference lies inside the rope, by two one-sided tests",
        sibling="correlated_ttest",
        citations=("schuirmann1987comparison",),
        advised=("folds",),
        questions=("Q2",),
        needs_design=True,
    ),
    Test(
        name="permutation_test",
        school="frequentist",
        function="bayescmp.frequentist:permutation_test",
        designs=("folds",),
        label="sign-flip permutation test",
        why="exact, without normal differences; treats the folds as independent",
        sibling="correlated_ttest",
        seeded=True,
        corrected_by="corrected_ttest",
        advised=("independent folds",),
    ),
    Test(
        name="welch_ttest",
        school="frequentist",
        function="bayescmp.frequentist:welch_ttest",
        designs=("runs",),
        label="Welch t-test",
        why="independent runs of each model, with unequal variances",
        sibling="welch_ttest",
        citations=("welch1947generalization",),
        advised=("runs",),
        assumes_normal=True,
    ),
    Test(
        name="mcnemar_test",
        school="frequentist",
        function="bayescmp.frequentist:mcnemar_test",
        designs=("items",),
        label="McNemar test",
        why="compares on which cases one model is right and the other wrong",
        sibling="mcnemar_test",
        citations=("mcnemar1947note",),
        batch="bayescmp.frequentist.pairwise:pairwise_mcnemar_test",
        advised=("one score", "right or wrong"),
        caveat="needs the answer to every case; holds for these trained models only",
    ),
    Test(
        name="per_instance_ttest",
        school="frequentist",
        function="bayescmp.frequentist:per_instance_ttest",
        designs=("graded items", "items"),
        label="paired t-test over the cases",
        why="compares the models' grades or losses case by case; allows for clusters of cases and for several runs",
        sibling="per_instance_ttest",
        advised=("one score", "graded items"),
        caveat="needs the answer to every case; holds for these trained models only, unless both were trained several "
        "times",
    ),
    Test(
        name="tost_mcnemar",
        school="frequentist",
        function="bayescmp.frequentist:tost_mcnemar",
        designs=("items",),
        label="two one-sided score tests of equivalence",
        why="whether the difference of the accuracies lies inside the rope, by Tango's score",
        sibling="mcnemar_test",
        citations=("tango1998equivalence",),
        advised=("one score", "right or wrong"),
        questions=("Q2",),
    ),
    Test(
        name="paired_proportions_interval",
        school="frequentist",
        function="bayescmp.frequentist:paired_proportions_interval",
        designs=("items",),
        kind="interval",
        label="interval of the difference of two accuracies",
        why="the interval of the difference of the accuracies on the same cases",
        citations=("newcombe1998improved",),
        advised=("right or wrong",),
    ),
    Test(
        name="wilcoxon_test",
        school="frequentist",
        function="bayescmp.frequentist:wilcoxon_test",
        designs=MANY_DATASETS,
        label="Wilcoxon signed-rank test",
        why="signed ranks of the datasets' mean differences",
        sibling="signed_rank_test",
        citations=("wilcoxon1945individual", "demsar2006statistical"),
        batch="bayescmp.frequentist:pairwise_wilcoxon_test",
        least_p=True,
        advised=("two models on datasets",),
        caveat="assumes that the differences are symmetric around their median",
    ),
    Test(
        name="hodges_lehmann_interval",
        school="frequentist",
        function="bayescmp.frequentist:hodges_lehmann_interval",
        designs=MANY_DATASETS,
        kind="interval",
        label="Hodges-Lehmann interval",
        why="the interval that belongs to the signed-rank test",
        least_p=True,
        advised=("two models on datasets",),
    ),
    Test(
        name="sign_test",
        school="frequentist",
        function="bayescmp.frequentist:sign_test",
        designs=MANY_DATASETS,
        label="sign test",
        why="counts wins and losses only",
        sibling="sign_test",
        citations=("demsar2006statistical",),
        batch="bayescmp.frequentist.pairwise:pairwise_sign_test",
        least_p=True,
        advised=("two models on datasets",),
        caveat="weaker than wilcoxon_test",
    ),
    Test(
        name="friedman_test",
        school="frequentist",
        function="bayescmp.frequentist:friedman_test",
        designs=MANY_DATASETS,
        takes="scores",
        label="Friedman test",
        why="compares all models by their ranks on each dataset",
        citations=("friedman1937use",),
        advised=("complete table",),
        large=(15, 5),
    ),
    Test(
        name="iman_davenport_test",
        school="frequentist",
        function="bayescmp.frequentist:iman_davenport_test",
        designs=MANY_DATASETS,
        takes="scores",
        label="Iman-Davenport test",
        why="the Friedman test, less conservative",
        citations=("iman1980approximations",),
    ),
    Test(
        name="nemenyi_test",
        school="frequentist",
        function="bayescmp.frequentist:nemenyi_test",
        designs=MANY_DATASETS,
        label="Nemenyi test",
        why="mean ranks of all models at once: which pairs differ after a rejected Friedman test",
        sibling="signed_rank_test",
        citations=("nemenyi1963distribution", "demsar2006statistical"),
        batch="bayescmp.frequentist:nemenyi_test",
        family=True,
        advised=("complete table",),
        caveat="the result for a pair depends on which other models are in the table",
    ),
    Test(
        name="pairwise_wilcoxon_test",
        school="frequentist",
        function="bayescmp.frequentist:pairwise_wilcoxon_test",
        designs=MANY_DATASETS,
        takes="scores",
        label="pairwise Wilcoxon signed-rank tests",
        why="each pair by its own datasets, adjusted for all pairs; unlike Nemenyi's not moved by the other models",
        citations=("wilcoxon1945individual",),
        least_p=True,
        advised=("many models on datasets",),
        caveat="assumes that the differences are symmetric around their median",
    ),
    Test(
        name="cochran_q_test",
        school="frequentist",
        function="bayescmp.frequentist:cochran_q_test",
        designs=("items",),
        takes="scores",
        label="Cochran's Q test",
        why="all models at once by which cases they get right; then mcnemar_test for the pairs",
        advised=("cases of many models",),
        caveat="needs right or wrong on every case",
    ),
    # ---- intervals and effect sizes
    Test(
        name="difference_interval",
        school="frequentist",
        function="bayescmp.frequentist:difference_interval",
        designs=("folds",),
        kind="interval",
        label="interval of the mean difference",
        why="the interval of the mean difference; corrected=True widens it for the overlap of the training sets",
        advised=("folds",),
        needs_design=True,
    ),
    Test(
        name="cliffs_delta",
        school="frequentist",
        function="bayescmp.frequentist:cliffs_delta",
        designs=("runs",),
        kind="effect size",
        label="Cliff's delta",
        why="how often a run of one model beats one of the other, with paired=False",
        advised=("runs",),
        questions=("Q2",),
        caveat="judge the raw difference against your rope as well",
    ),
    Test(
        name="kendalls_w",
        school="frequentist",
        function="bayescmp.frequentist:kendalls_w",
        designs=MANY_DATASETS,
        takes="scores",
        kind="effect size",
        label="Kendall's W",
        why="how much the datasets agree on the order of the models, 0 to 1",
        advised=("complete table",),
        questions=("Q2",),
    ),
    Test(
        name="rank_biserial",
        school="frequentist",
        function="bayescmp.frequentist:rank_biserial",
        designs=MANY_DATASETS,
        kind="effect size",
        label="rank-biserial correlation",
        why="the share of the ranks that favours A less that of B, -1 to 1, for each pair",
        advised=("datasets",),
        questions=("Q2",),
    ),
):
    register(_entry)
