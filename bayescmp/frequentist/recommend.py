"""Which tests fit the scores at hand, and why: by the setting and the design, never by a look at the differences."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import ScoresError, name_list
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import WAYS_TO_GIVE, Resampling
from bayescmp.scores.table import Scores
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

QUESTIONS = {
    "Q1": "Is the observed difference real, and how large is it?",
    "Q2": "Does it matter in practice?",
}

NO_RHO = "rho is missing: give the resampling design"


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
    facts = _facts(scores)
    rows = _one_dataset(facts) if facts.datasets == 1 else _many_datasets(facts)
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
        import pandas as pd

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
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True, eq=False)
class Advice(Value):
    """One test that fits: `getattr(bayescmp, school)` has a function of this name."""

    question: str
    school: str
    function: str
    why: str
    caveats: tuple[str, ...] = ()


# ---- what the scores hold


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """Numbers of models, of datasets, of those where all models ran, and of resamples; and the designs."""

    models: int
    datasets: int
    complete: int
    counts: NDArray[np.int_]
    designs: tuple[Resampling | None, ...]

    @property
    def setting(self) -> str:
        return f"{'2' if self.models == 2 else 'k'}x{'1' if self.datasets == 1 else 'm'}"

    @property
    def pairs(self) -> int:
        return self.models * (self.models - 1) // 2


def _facts(scores: Scores | Pair) -> _Facts:
    if isinstance(scores, Pair):
        m = len(scores.datasets)
        return _Facts(models=2, datasets=m, complete=m, counts=scores.counts, designs=scores.resampling)
    if not isinstance(scores, Scores):
        raise ScoresError(
            f"`scores` must be `Scores` or a `Pair`, which have the resampling design; got {type(scores).__name__}. "
            "Make one with Scores.from_arrays or Scores.from_frame."
        )
    scores.check_one_metric()
    if len(scores.models) < 2:
        raise ScoresError(f"A comparison needs at least 2 models, got {name_list(scores.models)}. Add another one.")
    ran = scores.counts > 0
    used = np.asarray(ran.sum(axis=0) >= 2)
    if not used.any():
        raise ScoresError("There is no dataset on which two models were run. Score them on the same datasets.")
    return _Facts(
        models=len(scores.models),
        datasets=int(used.sum()),
        complete=int(ran.all(axis=0).sum()),
        counts=scores.counts[:, used].max(axis=0),
        designs=tuple(d for d, keep in zip(scores.resampling, used.tolist(), strict=True) if keep),
    )


def _reasons(facts: _Facts) -> tuple[str, ...]:
    several = "two models" if facts.models == 2 else f"{facts.models} models, {facts.pairs} pairs"
    many = facts.datasets > 1
    reasons = [f"{several} on {f'{facts.datasets} datasets' if many else 'one dataset'}, {_resamples(facts)}"]
    if many:
        reasons.append("datasets differ in difficulty, so models are compared on each and ranks or differences pooled")
    elif facts.counts[0] == 1:
        reasons.append("one score per model on one dataset does not show its spread: compare the predictions instead")
    else:
        reasons.append("the answer holds for this dataset only; more datasets are needed to speak of others")
    if facts.counts.max() > 1 and None in facts.designs:
        reasons.append("how the scores were resampled is not known, so rho is missing. " + WAYS_TO_GIVE)
    if facts.models > 2:
        reasons.append(
            f"{facts.pairs} pairs: p-values need an adjustment (adjust_p_values, unless the test has one); posterior "
            "probabilities of single pairs have none, and at rope 0 P > 0.95 is an uncorrected one-sided 5 % test"
        )
    if facts.complete < facts.datasets:
        reasons.append(f"all models ran on {facts.complete} of the {facts.datasets} datasets only")
    return tuple(reasons)


def _resamples(facts: _Facts) -> str:
    low, high = int(facts.counts.min()), int(facts.counts.max())
    if high == 1:
        return "one score each"
    designs = {d.name for d in facts.designs if d is not None}
    name = f" ({designs.pop()})" if len(designs) == 1 and None not in facts.designs else ""
    return f"{low if low == high else f'{low} to {high}'} scores each{name}"


# ---- one dataset


def _one_dataset(facts: _Facts) -> "list[Advice]":
    pairwise = facts.models > 2
    if facts.counts[0] == 1:
        return _predictions(pairwise)
    design, rows = facts.designs[0], []
    unknown = (NO_RHO,) if design is None else ()
    few: tuple[str, ...] = ()
    if design is not None and design.n_test is not None and design.n_test < 30:
        few = (f"{design.n_test:g} test cases per fold: below 30 a fold's score may be far from normal",)
    if design is not None and design.scheme == "kfold" and (design.folds, design.repeats) == (2, 5):
        why = "made for five repeats of 2-fold cross-validation; fewer false alarms and more power than the 5x2 t-test"
        rows.append(_advice("Q1", "frequentist", "cv5x2_ftest", why))
    if design is not None and design.rho == 0:
        why = "the scores are independent of each other, as this test assumes"
        rows.append(_advice("Q1", "frequentist", "paired_ttest", why, *few))
        rows.append(_advice("Q1", "frequentist", "permutation_test", "exact, and assumes no normal differences"))
    else:
        why = "training sets overlap; the Nadeau-Bengio correction keeps the type-I error, the plain paired t does not"
        rows.append(_advice("Q1", "frequentist", "corrected_ttest", why, *unknown, *few))
    if design is not None and design.scheme == "kfold" and (design.repeats or 1) > 1 and (design.folds or 0) > 2:
        why = "for repeated cross-validation, with degrees of freedom calibrated to 10 for 10 x 10 folds"
        rows.append(_advice("Q1", "frequentist", "rxk_cv_ttest", why))
    why = "the interval of the mean difference; corrected=True widens it for the overlap of the training sets"
    rows.append(_advice("Q1", "frequentist", "difference_interval", why, *unknown))
    if pairwise:
        rows.append(_cochran())
    why = "the posterior of the mean difference, with its HDI; correlation of the folds included"
    rows.append(_advice("Q1", "bayes", "correlated_ttest", why, *unknown, *few))
    why = "the difference in standard deviations of the scores"
    rows.append(_advice("Q2", "frequentist", "cohens_d", why, "judge the raw difference against your rope as well"))
    why = "whether the difference lies inside the rope, by two one-sided tests"
    rows.append(_advice("Q2", "frequentist", "tost_ttest", why, *unknown))
    why = "P(better), P(equivalent) and P(worse) by more than the rope that you give"
    rows.append(_advice("Q2", "bayes", "correlated_ttest", why, *unknown))
    return rows


def _predictions(pairwise: bool) -> "list[Advice]":
    """One score on one dataset: only the instances can show a difference."""
    needs = "needs every instance's prediction, not these scores; the answer holds for these trained models only"
    rows = [_cochran()] if pairwise else []
    why = "compares on which instances one model is right and the other wrong"
    rows.append(_advice("Q1", "frequentist", "mcnemar_test", why, needs))
    why = "compares the models' losses instance by instance; for many instances"
    rows.append(_advice("Q1", "frequentist", "per_instance_ttest", why, needs))
    return rows


def _cochran() -> "Advice":
    why = "all models at once by which instances they get right; then mcnemar_test for the pairs"
    return _advice("Q1", "frequentist", "cochran_q_test", why, "needs every instance's correctness, not these scores")


# ---- many datasets


def _many_datasets(facts: _Facts) -> "list[Advice]":
    m, pairwise = facts.datasets, facts.models > 2
    least = min(1.0, facts.pairs * 2.0 ** (1 - m))
    adjusted = f" (adjusted for {facts.pairs} pairs)" if pairwise else ""
    few = (f"with {m} datasets no two-sided p{adjusted} below {least:.3g} is possible",) if least > 0.05 else ()
    symmetric = "treats the differences as symmetric around their median"
    rows = []
    if pairwise:
        rows += _omnibus(facts)
        why = "each pair by its own datasets, adjusted for all pairs; unlike Nemenyi's not moved by the other models"
        rows.append(_advice("Q1", "frequentist", "pairwise_wilcoxon_test", why, *few, symmetric))
    else:
        why = "ranks the datasets' differences: no normality, and no outlier decides"
        rows.append(_advice("Q1", "frequentist", "wilcoxon_test", why, *few, symmetric))
        why = "the interval that belongs to the signed-rank test"
        rows.append(_advice("Q1", "frequentist", "hodges_lehmann_interval", why, *few))
        why = "counts wins only: for scores of which only the order can be trusted"
        rows.append(_advice("Q1", "frequentist", "sign_test", why, "weaker than wilcoxon_test", *few))
    rows += _bayes_many("Q1", facts)
    if pairwise and facts.complete >= 2:
        why = "how much the datasets agree on the order of the models, 0 to 1"
        rows.append(_advice("Q2", "frequentist", "kendalls_w", why))
    why = "the share of the ranks that favours A less that of B, -1 to 1" + (", for each pair" if pairwise else "")
    rows.append(_advice("Q2", "frequentist", "rank_biserial", why))
    return rows + _bayes_many("Q2", facts)


def _omnibus(facts: _Facts) -> "list[Advice]":
    n, k = facts.complete, facts.models
    if n < 2:
        return []
    small = (f"n = {n}, k = {k}: chi-square needs n > 15 and k > 5, use the exact p",) if n <= 15 or k <= 5 else ()
    moved = "the result for a pair depends on which other models are in the pool"
    why = "compares all models by their ranks on each dataset"
    rows = [_advice("Q1", "frequentist", "friedman_test", why, *small)]
    rows.append(
        _advice("Q1", "frequentist", "nemenyi_test", "which pairs differ, after a rejected Friedman test", moved)
    )
    return rows


def _bayes_many(question: str, facts: _Facts) -> "list[Advice]":
    """The hierarchical test where there are folds of known design; the tests on one mean per dataset always."""
    reads = {
        "Q1": "how probable each outcome is on the next dataset",
        "Q2": "P(better), P(equivalent) and P(worse) by more than the rope that you give",
    }[question]
    caveats = (f"with {facts.datasets} datasets the prior weighs in: try others",) if facts.datasets < 6 else ()
    rows = []
    if facts.counts.min() >= 3:
        unknown = (NO_RHO,) if None in facts.designs else ()
        why = f"uses every fold's score and shrinks the datasets toward each other; {reads}"
        rows.append(_advice(question, "bayes", "hierarchical_ttest", why, *unknown, *caveats))
    why = f"needs only one score per dataset; {reads}, for the average of two datasets"
    rows.append(_advice(question, "bayes", "signed_rank_test", why, *caveats))
    if question == "Q1":
        rows.append(
            _advice(
                question,
                "bayes",
                "sign_test",
                f"counts datasets only; {reads}",
                "weaker than signed_rank_test",
                *caveats,
            )
        )
    return rows


def _advice(question: str, school: str, function: str, why: str, *caveats: str) -> "Advice":
    return Advice(question=question, school=school, function=function, why=why, caveats=caveats)
