"""The paragraph for the paper: what was compared, by which tests, with which settings."""

from typing import TYPE_CHECKING

from bayescmp.reports.citations import cite, of_test
from bayescmp.reports.sentences import rope_text
from bayescmp.rope import Rope
from bayescmp.text import p_value, statistic

if TYPE_CHECKING:
    from bayescmp.comparison.result import Comparison

BAYES = {
    "correlated_t": (
        "the Bayesian correlated t-test",
        "It gives the posterior of the mean difference on this dataset, a Student t that allows for the correlation of "
        "overlapping training sets",
    ),
    "hierarchical": (
        "the Bayesian hierarchical correlated t-test",
        "It models the results of all folds on all datasets together and gives the posterior of the probabilities that "
        "the next dataset's difference is better, equivalent or worse",
    ),
    "signed_rank": (
        "the Bayesian signed-rank test",
        "It gives the posterior of the probabilities that the average difference of two new datasets is better, "
        "equivalent or worse",
    ),
    "sign": (
        "the Bayesian sign test",
        "It gives the posterior of the probabilities that the next dataset's difference is better, equivalent or worse",
    ),
}
FREQUENTIST = {
    "corrected_t": "the corrected resampled t-test",
    "paired_t": "the paired t-test, which takes the folds for independent",
    "wilcoxon": "the Wilcoxon signed-rank test",
    "sign": "the sign test",
    "nemenyi": "Nemenyi's test",
}
ADJUSTMENTS = {"bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli", "bergmann-hommel": "Bergmann-Hommel"}


def methods_text(c: "Comparison") -> str:
    """The methods paragraph, with the citations whose entries `bibtex()` has.

    Parameters
    ----------
    c : Comparison

    See Also
    --------
    bibtex : the entries.
    sentences : the results.

    Examples
    --------
    >>> import bayescmp as bc
    >>> "rope" in bc.reports.methods_text(bc.compare(bc.load_labour(), rope=0.01))
    True
    """
    return " ".join([_data(c), cited_text(c), _software(c)])


def cited_text(c: "Comparison") -> str:
    """Its part about the tests: all citations are here, and no name that a user chose."""
    return " ".join([*_bayesian(c), *_frequentist(c)])


def _data(c: "Comparison") -> str:
    scores = c.scores
    k, m = len(c.models), len(scores.datasets)
    metric, best = scores.metric or "score", "higher" if scores.higher_is_better else "lower"
    designs = list(dict.fromkeys(r.name for r in scores.resampling if r is not None))
    known = all(r is not None for r in scores.resampling) and len(designs) == 1
    design = f", each scored by {designs[0]}" if known else ""
    scale = "" if scores.scale == "score" else f", on the {scores.scale} scale"
    what = " with ".join(c.pairs[0]) if len(c.pairs) == 1 else f"{k} models"
    where = f"{m} dataset{'s' if m > 1 else ''}{design}"
    text = f"We compared {what} on {where}, by {metric} ({best} is better{scale})"
    if len(c.pairs) == 1:
        return f"{text}."
    which = f"{c.control} with each other model" if c.control else "all pairs of models"
    return f"{text}: {which} ({len(c.pairs)} pairs)."


def _bayesian(c: "Comparison") -> list[str]:
    name, says = BAYES[c.setting.bayes]
    each = "Each pair was" if len(c.pairs) > 1 else "They were"
    lines = [f"{each} compared by {name}{cite(*of_test(c.setting.bayes, bayesian=True))}. {says}."]
    if isinstance(c.rope, Rope):
        rope = (
            "No difference was taken to be negligible (rope 0)"
            if c.rope.is_zero
            else f"Differences within the region of practical equivalence (rope) {rope_text(c.rope)} count as "
            f"equivalent{cite('kruschke2018rejecting')}"
        )
    else:
        rope = f"Every dataset had its own region of practical equivalence (rope){cite('kruschke2018rejecting')}"
    lines.append(f"{rope}.")
    if "expected_better" in c.rows[0]:
        lines.append(
            "P is the posterior probability that an outcome is the most probable of the three; expected shares are the "
            "posterior means of their probabilities."
        )
    options = ", ".join(f"{key} = {value}" for key, value in c.bayes_options.items())
    chosen = f" Options: {options}." if options else ""
    lines.append(f"We call a pair decided where a probability reaches {c.threshold:g}.{chosen}")
    if len(c.models) > 2:
        how = "Bayesian bootstrap of the datasets" if len(c.scores.datasets) > 1 else ""
        over = f" by the {how}{cite('rubin1981bootstrap')}" if how else " from their joint posterior"
        lines.append(f"The probability of each model to be the best was computed{over}.")
    return lines


def _frequentist(c: "Comparison") -> list[str]:
    how = c.tests.adjustment
    adjusted = ""
    if len(c.pairs) > 1 and c.setting.frequentist != "nemenyi" and how != "none":
        adjusted = f", p-values adjusted by the method of {ADJUSTMENTS.get(how, how.capitalize())}{cite(*of_test(how))}"
    lines = [
        f"For comparison we report {FREQUENTIST[c.setting.frequentist]}{cite(*of_test(c.setting.frequentist))}, "
        f"two-sided, at level {c.alpha:g}{adjusted}."
    ]
    keys = {"Friedman": "friedman1937use", "Iman-Davenport": "iman1980approximations"}
    for t in c.omnibus:
        key = next((key for name, key in keys.items() if t.method.startswith(name)), None)
        dfs = t.df if isinstance(t.df, tuple) else () if t.df is None else (t.df,)
        df = f"({', '.join(map(statistic, dfs))})" if dfs else ""
        lines.append(
            f"All models at once: {t.method}{cite(key) if key else ''}, {t.statistic_name}{df} = "
            f"{statistic(t.statistic)}, {p_value(t.p_value)}."
        )
    return lines


def _software(c: "Comparison") -> str:
    seed = "" if c.random_seed is None else f"; random seed {c.random_seed}"
    used = f" with numpy {c.versions['numpy']} and scipy {c.versions['scipy']}" if "numpy" in c.versions else ""
    return f"Computed by bayescmp {c.versions.get('bayescmp', '')}{used}{seed}."
