"""The paragraph for the paper: what was compared, by which tests, with which settings, and the references it cites."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bayescmp.bayes.regions import RegionPosterior
from bayescmp.comparison.show import ranking_of
from bayescmp.references import Reference, found
from bayescmp.rope import Rope
from bayescmp.scores.metrics import with_direction
from bayescmp.sentences import datasets_text, rope_text
from bayescmp.text import p_value, statistic

if TYPE_CHECKING:
    from bayescmp.comparison.result import Comparison

ADJUSTMENTS = {
    "holm": ("Holm", ("holm1979simple",)),
    "bh": ("Benjamini-Hochberg", ("benjamini1995controlling",)),
    "by": ("Benjamini-Yekutieli", ()),
    "bergmann-hommel": ("Bergmann-Hommel", ()),
}
"""The names of adjustments, where they are more than a capital letter away from ours, and what to cite."""
OMNIBUS = {"Friedman": "friedman1937use", "Iman-Davenport": "iman1980approximations"}


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
    return _Paragraph(c).text


def bibtex(c: "Comparison") -> str:
    """The BibTeX entries of the works that `methods_text` cites.

    Parameters
    ----------
    c : Comparison

    See Also
    --------
    methods_text : cites them.

    Examples
    --------
    >>> import bayescmp as bc
    >>> "@article" in bc.reports.bibtex(bc.compare(bc.load_labour(), rope=0.01))
    True
    """
    return "\n\n".join(r.bibtex for r in references(c)) + "\n"


def references(c: "Comparison") -> list[Reference]:
    """The works that `methods_text` cites, by author and year."""
    return sorted(dict.fromkeys(_Paragraph(c).cited), key=lambda r: (r.author, r.year))


class _Paragraph:
    """The methods paragraph, and what it cites on the way."""

    def __init__(self, c: "Comparison") -> None:
        self.c = c
        self.cited: list[Reference] = []
        self.text = " ".join([self._data(), *self._bayesian(), *self._frequentist(), self._software()])

    def _cite(self, citations: Iterable[Reference | str]) -> str:
        """(Holm, 1979; ...), with a space before it; empty without works."""
        works = found(citations)
        self.cited += works
        return f" ({'; '.join(work.cite for work in works)})" if works else ""

    def _data(self) -> str:
        c, scores = self.c, self.c.scores
        designs = list(dict.fromkeys(r.name for r in scores.resampling if r is not None))
        known = all(r is not None for r in scores.resampling) and len(designs) == 1
        where = datasets_text(scores) + (f", each scored by {designs[0]}" if known else "")
        metric = with_direction(scores.metric, scores.higher_is_better, scores.scale)
        pairs = c.pair_names
        what = " with ".join(pairs[0]) if len(pairs) == 1 else f"{len(c.models)} models"
        text = f"We compared {what} on {where}, by {metric}"
        if len(pairs) == 1:
            return f"{text}."
        which = f"{c.control} with each other model" if c.control else "all pairs of models"
        return f"{text}: {which} ({len(pairs)} pairs)."

    def _bayesian(self) -> list[str]:
        c, test = self.c, self.c.setting.bayes_test
        each = "Each pair was" if len(c.posteriors) > 1 else "They were"
        gives = f" {test.gives}." if test.gives else ""
        lines = [f"{each} compared by the Bayesian {c.posteriors[0].method}{self._cite(test.citations)}.{gives}"]
        kruschke = ("kruschke2018rejecting",)
        if isinstance(c.rope, Rope):
            within = rope_text(c.rope, c.scores.scale, c.scores.higher_is_better)
            rope = (
                "No difference was considered negligible (rope 0)"
                if c.rope.is_zero
                else f"Differences within the region of practical equivalence (rope) {within} count as equivalent"
                f"{self._cite(kruschke)}"
            )
        else:
            rope = f"Every dataset had its own region of practical equivalence (rope){self._cite(kruschke)}"
        lines.append(f"{rope}.")
        if isinstance(c.posteriors[0], RegionPosterior):
            lines.append(
                "P is the posterior probability that an outcome is the most probable of the three; how often "
                f"{c.posteriors[0].new} will show an outcome is the posterior mean of its probability."
            )
        options = ", ".join(f"{key} = {value}" for key, value in c.bayes_options.items())
        chosen = f" Options: {options}." if options else ""
        lines.append(f"We call a pair decided where a probability reaches {c.threshold:g}.{chosen}")
        ranking = ranking_of(c)[0] if len(c.models) > 2 else None
        if ranking is not None:
            how = f"from the joint posterior of all models ({ranking.method})"
            if ranking.method.startswith("Bayesian bootstrap"):
                how = f"by the Bayesian bootstrap of the datasets{self._cite(('rubin1981bootstrap',))}"
            lines.append(
                f"We computed the probability that each model is the best {how}, by {ranking.quantity} over "
                f"{ranking.rests_on}, and from the same draws that it is within the rope of the best, by which models "
                "are grouped."
            )
        return lines

    def _frequentist(self) -> list[str]:
        c, test = self.c, self.c.setting.frequentist_test
        reported = f"For comparison we report the {test.label}{self._cite(test.citations)}"
        how = c.tests.adjustment
        adjusted = ""
        if len(c.posteriors) > 1 and not test.family and how != "none":
            name, works = ADJUSTMENTS.get(how, (how.capitalize(), ()))
            adjusted = f", p-values adjusted by the method of {name}{self._cite(works)}"
        lines = [f"{reported}, two-sided, at level {c.alpha:g}{adjusted}."]
        for t in c.omnibus:
            works = tuple(key for name, key in OMNIBUS.items() if t.method.startswith(name))
            dfs = t.df if isinstance(t.df, tuple) else () if t.df is None else (t.df,)
            df = f"({', '.join(map(statistic, dfs))})" if dfs else ""
            lines.append(
                f"All models at once: {t.method}{self._cite(works)}, {t.statistic_name}{df} = "
                f"{statistic(t.statistic)}, {p_value(t.p_value)}."
            )
        return lines

    def _software(self) -> str:
        c = self.c
        seed = "" if c.random_seed is None else f"; random seed {c.random_seed}"
        used = f" with numpy {c.versions['numpy']} and scipy {c.versions['scipy']}" if "numpy" in c.versions else ""
        return f"Computed by bayescmp {c.versions.get('bayescmp', '')}{used}{seed}."
