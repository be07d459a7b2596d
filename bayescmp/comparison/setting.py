"""Which tests fit: by the numbers of models and datasets and by the design, never by a look at the differences."""

from dataclasses import dataclass

from bayescmp import catalogue
from bayescmp.checks import is_one_of
from bayescmp.errors import ScoresError
from bayescmp.scores.facts import WORDS, Facts
from bayescmp.scores.table import Scores
from bayescmp.values import Value


@dataclass(frozen=True, eq=False)
class Setting(Value):
    """The setting of a comparison ("2x1", "kx1", "2xm" or "kxm"), the tests that were run, and why."""

    name: str
    bayes: str
    frequentist: str
    why: tuple[str, ...]

    def __post_init__(self) -> None:
        # One that was read from a file may name a test of a module that is not imported: say it now.
        for name, school in ((self.bayes, "bayes"), (self.frequentist, "frequentist")):
            catalogue.find(name, school)

    @property
    def words(self) -> str:
        """The setting in words."""
        return WORDS[self.name]

    @property
    def bayes_test(self) -> catalogue.Test:
        """The Bayesian test's entry."""
        return catalogue.find(self.bayes, "bayes")

    @property
    def frequentist_test(self) -> catalogue.Test:
        """The frequentist test's entry."""
        return catalogue.find(self.frequentist, "frequentist")

    @property
    def tests(self) -> str:
        """Both tests, as headings name them."""
        return f"bayes.{self.bayes} beside frequentist.{self.frequentist}"


def choose_setting(scores: Scores, bayes: str | None, frequentist: str | None) -> Setting:
    """The setting, with the tests that fit it, or those that were asked for by name."""
    facts = Facts.of(scores)
    if facts.design is None:
        raise ScoresError(
            f'One score per model on one dataset ("{facts.datasets[0]}") shows nothing of its own error. Give the '
            "scores of all folds or seeds, or compare the predictions with frequentist.mcnemar_test."
        )
    first = _choose(facts, "bayes", bayes)
    if bayes is not None and frequentist is None and first.sibling in _fitting(facts, "frequentist"):
        frequentist = first.sibling
    tests = [first, _choose(facts, "frequentist", frequentist)]
    why = tuple(f"{test.school}.{test.name}: {_reason(facts, test)}" for test in tests)
    return Setting(facts.setting, tests[0].name, tests[1].name, why)


def _reason(facts: Facts, test: catalogue.Test) -> str:
    """Why this test was run: by the setting, or as asked."""
    if test != _choose(facts, test.school, None):
        return f"as asked; {test.why}"
    return facts.lacking if test.school == "bayes" and facts.lacking else test.why


def _choose(facts: Facts, school: str, asked: str | None) -> catalogue.Test:
    """The first choice of the design, or the test that was asked for."""
    if asked is None:
        return next(test for test in catalogue.entries(school, facts.design) if not test.family)
    try:
        found = catalogue.find(asked, school)  # may be of an installed package that was not imported yet
    except ScoresError as error:
        raise ValueError(f"`{school}` must be the name of a test. {error}") from None
    fits = _fitting(facts, school)
    if not is_one_of(asked, fits):
        hint = " Pick one dataset with scores.select(datasets=[...]) for the t-tests." if facts.many_datasets else ""
        kind = "" if facts.paired else ", runs that cannot be paired"
        if not facts.paired:
            hint += " If all models had the same splits and seeds, read them with resampling=Resampling.independent()."
        raise ValueError(
            f"`{school}` must be one of {', '.join(fits)} for {WORDS[facts.setting]}{kind}, got {asked!r}.{hint}"
        )
    return found


def _fitting(facts: Facts, school: str) -> list[str]:
    """The tests that could be asked for: those of one or of many datasets."""
    return [
        test.name
        for test in catalogue.entries(school)
        if (test.many_datasets if facts.many_datasets else facts.design in test.designs)
        and (facts.models > 2 or not test.family)
    ]
