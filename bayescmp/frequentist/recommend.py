"""Which tests fit the scores at hand, and why: by the setting and the design, never by a look at the differences."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bayescmp import catalogue
from bayescmp.scores.facts import Facts
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import WAYS_TO_GIVE
from bayescmp.scores.table import Scores
from bayescmp.text import visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

QUESTIONS = {
    "Q1": "Is the observed difference real, and how large is it?",
    "Q2": "Does it matter in practice?",
}

NO_RHO = "rho is missing: give the resampling design"
ROPE = "P(better), P(equivalent) and P(worse) by more than the rope that you give"


def recommend(scores: Scores | Pair) -> "Recommendation":
    """Which tests fit these scores and why.

    The answer depends on the numbers of models, datasets and resamples and on the design, and not on the scores'
    values: choosing a test by a look at the differences (a test of normality first) spoils its error rate.

    Parameters
    ----------
    scores : Scores or Pair

    Returns
    -------
    Recommendation
        Frequentist and Bayesian tests for two questions. Q1: is the observed difference real, and how large is it?
        Q2: does it matter in practice?

    See Also
    --------
    bayescmp.compare : chooses and runs the tests.

    References
    ----------
    Japkowicz, Boukouvalas (2024). Machine learning evaluation, section 7.1.5. Demsar (2006). Statistical comparisons of
    classifiers over multiple data sets. Benavoli, Corani, Demsar, Zaffalon (2017). Time for a change.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from bayescmp.frequentist import recommend
    >>> advice = recommend(bc.load_labour().pair("SVM", "DT"))
    >>> advice.setting, advice.functions("Q1", "frequentist")
    ('2x1', ('corrected_ttest', 'difference_interval'))
    """
    facts = Facts.of(scores)
    rows = [
        Advice(
            question=question,
            school=school,
            function=test.name,
            why=ROPE if (question, school) == ("Q2", "bayes") else test.why,
            caveats=_caveats(facts, test),
        )
        for question in QUESTIONS
        for school in ("frequentist", "bayes")
        for test in _advised(facts, question, school)
    ]
    return Recommendation(setting=facts.setting, reasons=_reasons(facts), rows=tuple(rows))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Recommendation(Value):
    """The tests that fit a setting.

    Attributes
    ----------
    setting : "2x1", "kx1", "2xm" or "kxm"
        Two or more models, on one dataset or many.
    reasons : tuple of str
        What was found in the scores, and what follows for all tests.
    rows : tuple of Advice
        Best first within each question and school.

    See Also
    --------
    recommend : makes one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.frequentist.recommend(bc.load_uci()).functions(school="bayes")[0]
    'hierarchical_ttest'
    """

    setting: str
    reasons: tuple[str, ...]
    rows: tuple["Advice", ...]

    def functions(self, question: str | None = None, school: str | None = None) -> tuple[str, ...]:
        """The names of the functions, best first; of one `question` or one `school` only, if given."""
        fit = (r for r in self.rows if question in (None, r.question) and school in (None, r.school))
        return tuple(dict.fromkeys(r.function for r in fit))

    def to_frame(self) -> "pd.DataFrame":
        """One row per test."""
        from bayescmp.needs import pandas as pd

        names = ["setting", "question", "school", "function", "why", "caveats"]
        rows = [{"setting": self.setting} | asdict(r) | {"caveats": "; ".join(r.caveats)} for r in self.rows]
        return pd.DataFrame(rows, columns=names)

    def __repr__(self) -> str:
        lines = [f"Recommendation: setting {self.setting}", *(f"  {reason}" for reason in self.reasons)]
        for question, text in QUESTIONS.items():
            rows = [r for r in self.rows if r.question == question]
            if rows:
                lines.append(f"  {question}. {text}")
            for row in rows:
                lines.append(f"    {row.school}.{row.function}: {row.why}")
                lines += [f"      but {caveat}" for caveat in row.caveats]
        return visible_lines(lines)


@dataclass(frozen=True, kw_only=True, eq=False)
class Advice(Value):
    """One test that fits: `getattr(bayescmp, school)` has a function of this name."""

    question: str
    school: str
    function: str
    why: str
    caveats: tuple[str, ...] = ()


# ---- the steps


def _reasons(facts: Facts) -> tuple[str, ...]:
    several = "two models" if facts.models == 2 else f"{facts.models} models, {facts.pairs} pairs"
    m, many = len(facts.datasets), facts.many_datasets
    reasons = [f"{several} on {f'{m} datasets' if many else 'one dataset'}, {_resamples(facts)}"]
    if many:
        reasons.append("datasets differ in difficulty, so models are compared on each and ranks or differences pooled")
    elif facts.counts[0] == 1:
        reasons.append("one score per model on one dataset does not show its spread: compare the predictions instead")
    else:
        reasons.append("the answer holds for this dataset only; an answer for others needs more datasets")
    if facts.counts.max() > 1 and None in facts.resampling:
        reasons.append("how the scores were resampled is not known, so rho is missing. " + WAYS_TO_GIVE)
    if facts.models > 2:
        reasons.append(
            f"{facts.pairs} pairs: p-values need an adjustment (adjust_p_values, unless the test has one); posterior "
            "probabilities of single pairs have none, and at rope 0 P > 0.95 is an uncorrected one-sided 5 % test"
        )
    if facts.complete < m:
        reasons.append(f"all models ran on {facts.complete} of the {m} datasets only")
    return tuple(reasons)


def _resamples(facts: Facts) -> str:
    low, high = int(facts.counts.min()) if facts.fewest is None else facts.fewest, int(facts.counts.max())
    if high == 1:
        return "one score each"
    designs = {d.name for d in facts.resampling if d is not None}
    name = f" ({designs.pop()})" if len(designs) == 1 and None not in facts.resampling else ""
    return f"{low if low == high else f'{low} to {high}'} scores each{name}"


def _advised(facts: Facts, question: str, school: str) -> list[catalogue.Test]:
    """The entries that fit, by the most special situation first."""
    every = list(catalogue.entries(school, takes=None, kind=None))
    fit = [test for situation in facts.situations for test in every if situation in test.advised]
    return [test for test in fit if question in test.questions]


def _caveats(facts: Facts, test: catalogue.Test) -> tuple[str, ...]:
    m, found = len(facts.datasets), []
    if test.needs_design and None in facts.resampling:
        found.append(NO_RHO)
    design = facts.resampling[0]
    if test.assumes_normal and design is not None:
        found += design.notes
    least = min(1.0, facts.pairs * 2.0 ** (1 - m))
    if test.least_p and least > 0.05:
        adjusted = f" (adjusted for {facts.pairs} pairs)" if facts.models > 2 else ""
        found.append(f"with {m} datasets no two-sided p{adjusted} below {least:.3g} is possible")
    if test.large is not None and (facts.complete <= test.large[0] or facts.models <= test.large[1]):
        n, k = test.large
        found.append(f"{facts.complete} datasets, {facts.models} models: chi-square needs more than {n} and {k}")
    if test.school == "bayes" and facts.many_datasets and m < 6:
        found.append(f"with {m} datasets the prior weighs in: try others")
    return (*found, *([test.caveat] if test.caveat else []))
