"""Gates: may this candidate replace the baseline? A decision by a rule that was written down before.

Better, not worse, worse or undecided: by the posterior of the mean difference, also over many datasets, where "worse is
not the most probable outcome" would be no promise.
"""

import hashlib
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from bayescmp.bayes.posterior import Posterior
from bayescmp.checks import check_count, check_threshold, is_one_of
from bayescmp.comparison import Comparison, compare
from bayescmp.errors import ScoresError, name_list
from bayescmp.rope import ROPE, Rope, RopeLike
from bayescmp.scores.inputs import check_scores
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.table import Scores
from bayescmp.sentences import looks_text
from bayescmp.text import one_line, probability, versions, visible_lines
from bayescmp.values import Value

__all__ = ["GateResult", "Rule", "gate", "side_by_side"]

VERDICTS = ("better", "not worse", "worse", "undecided")
"""What a gate can say of a candidate."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule(Value):
    """A decision rule that is written down before the candidate is seen.

    Attributes
    ----------
    rope : Rope
        The differences that make no practical difference.
    threshold : float
        Posterior probability that a verdict needs.
    passes : tuple of str
        The verdicts that let a candidate through, of "better", "not worse", "worse" and "undecided".
    metric : str or None
        The metric that the rule is about; checked where given.
    higher_is_better : bool or None
        Its direction; checked where given.
    test : str or None
        The Bayesian test; by the design of the scores if None.
    prior : float, str or None
        The prior of that test; its default if None.
    looks : int
        How often the same candidate may be looked at while data come in.
    baseline : str or None
        Fingerprint of the baseline's scores; a changed baseline is said.
    changed : bool
        Whether the file was edited after it was written; that is said too.

    See Also
    --------
    gate : applies one.

    Examples
    --------
    >>> from bayescmp import Rope
    >>> from bayescmp.gates import Rule
    >>> rule = Rule(rope=Rope(-0.01, 0.01), metric="accuracy")
    >>> Rule.from_toml(rule.to_toml()) == rule
    True
    """

    rope: Rope
    threshold: float = 0.95
    passes: tuple[str, ...] = ("better", "not worse")
    metric: str | None = None
    higher_is_better: bool | None = None
    test: str | None = None
    prior: float | str | None = None
    looks: int = 1
    baseline: str | None = None
    changed: bool = False

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        check_count("looks", self.looks)
        if not isinstance(self.passes, (list, tuple)):
            raise ValueError(f"`passes` must hold some of {name_list(VERDICTS)}, got {self.passes!r}.")
        wrong = [verdict for verdict in self.passes if not is_one_of(verdict, VERDICTS)]
        if wrong or not self.passes:
            came = name_list(map(str, wrong)) if wrong else "nothing"
            raise ValueError(f"`passes` must hold some of {name_list(VERDICTS)}, got {came}.")

    @property
    def fingerprint(self) -> str:
        """A short name of all that the rule says."""
        return hashlib.sha256("\n".join(self._lines()).encode()).hexdigest()[:16]

    def to_toml(self) -> str:
        """The rule as a text to keep beside the code."""
        return "\n".join(
            [
                "# A decision rule of bayescmp, written before the candidate was seen.",
                *self._lines(),
                f"fingerprint = {_toml(self.fingerprint)}",
                "",
            ]
        )

    def _lines(self) -> list[str]:
        rows: dict[str, Any] = {"rope": [self.rope.low, self.rope.high], "threshold": self.threshold}
        rows |= {"passes": list(self.passes), "metric": self.metric, "higher_is_better": self.higher_is_better}
        rows |= {"test": self.test, "prior": self.prior, "looks": self.looks, "baseline": self.baseline}
        return [f"{name} = {_toml(value)}" for name, value in rows.items() if value is not None]

    @classmethod
    def from_toml(cls, text: str) -> "Rule":
        """The rule of a `text`; raises where a key is missing, unknown or impossible."""
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"A rule must be a TOML file, but this one is not: {error}.") from None
        known = (*(x.name for x in fields(cls) if x.name != "changed"), "fingerprint")
        wrong = [name for name in found if name not in known]
        if wrong or "rope" not in found:
            came = f"unknown {name_list(wrong)}" if wrong else "no rope"
            raise ValueError(f"A rule must have a rope, and may have {name_list(known[1:])}; got {came}.")
        rope = found.pop("rope")
        if "passes" in found:
            if not isinstance(found["passes"], list):
                raise ValueError(f"`passes` of a rule must be a list of verdicts, got {found['passes']!r}.")
            found["passes"] = tuple(found["passes"])
        for name, kind in (("metric", str), ("test", str), ("baseline", str), ("higher_is_better", bool)):
            if name in found and not isinstance(found[name], kind):
                raise ValueError(f"`{name}` of a rule must be a {kind.__name__}, got {found[name]!r}.")
        if not isinstance(found.get("prior", ""), (int, float, str)):
            raise ValueError(f"`prior` of a rule must be a number or a name, got {found['prior']!r}.")
        written = found.pop("fingerprint", None)
        rule = cls(rope=Rope.of(tuple(rope) if isinstance(rope, list) else rope), **found)
        return rule if written in (None, rule.fingerprint) else replace(rule, changed=True)

    @classmethod
    def read(cls, path: str | Path) -> "Rule":
        """The rule in the file at `path`."""
        return cls.from_toml(Path(path).read_text(encoding="utf-8"))

    def written_for(self, scores: Scores, baseline: str) -> "Rule":
        """The rule with the metric and the direction of these `scores`, and the fingerprint of the `baseline`."""
        return replace(
            self,
            metric=scores.metric,
            higher_is_better=scores.higher_is_better,
            baseline=_fingerprint(scores, baseline),
        )

    def differs(self, scores: Scores, baseline: str) -> tuple[str, ...]:
        """In what the `scores`, and those of the `baseline`, are not what the rule was written for."""
        found = ["the rule was changed after it was written"] if self.changed else []
        if self.metric is not None and scores.metric != self.metric:
            found.append(f"the rule is about {self.metric}, the scores are {scores.metric}")
        if self.higher_is_better not in (None, scores.higher_is_better):
            found.append("the direction of the metric is not that of the rule")
        if self.baseline is not None and _fingerprint(scores, baseline) != self.baseline:
            found.append(f"the scores of the baseline {baseline} are not those that the rule was written for")
        return tuple(found)

    def departures(self, c: Comparison) -> tuple[str, ...]:
        """In what the comparison `c` is not what the rule was written for; none where it keeps to the rule."""
        names = [model for model in c.models if _fingerprint(c.scores, model) == self.baseline]
        # any model will do for what is not about the baseline
        found = [
            text for text in self.differs(c.scores, (names or c.models)[0]) if "scores of the baseline" not in text
        ]
        if self.baseline is not None and not names:
            found.append("no model has the scores of the baseline that the rule was written for")
        ruled = {
            "rope": (c.rope, self.rope),
            "threshold": (c.threshold, self.threshold),
            "test": (c.setting.bayes_test.name, self.test or c.setting.bayes_test.name),
            "prior": (c.bayes_options.get("prior"), self.prior),
            "number of looks": (c.looks, self.looks),
        }
        found += [
            f"the {name} is {here}, the rule has {there}" for name, (here, there) in ruled.items() if here != there
        ]
        return tuple(found)


def gate(
    scores: Scores,
    baseline: str,
    candidate: str,
    *,
    rope: RopeLike = ROPE,
    rule: Rule | None = None,
    threshold: float = 0.95,
    random_seed: int | None = None,
) -> "GateResult":
    """Whether the candidate may replace the baseline.

    Parameters
    ----------
    scores : Scores
        With the baseline and the candidate.
    baseline, candidate : str
        Names of models.
    rope, threshold
        What makes no practical difference, and the probability that a verdict needs; without a `rule`.
    rule : Rule, optional
        All of it, as it was written down before.
    random_seed : int, optional
        Seed of a test that draws.

    Returns
    -------
    GateResult
        "better" where P(difference above the rope) reaches the threshold, "not worse" where P(difference not below the
        rope) does, "worse" where P(difference below the rope) does, else "undecided".

    See Also
    --------
    Rule : what is written down.
    bayescmp.compare : more than a verdict.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from bayescmp.gates import gate
    >>> result = gate(bc.load_uci(), baseline="svm", candidate="rf", rope=0.01)
    >>> result.verdict, result.passed
    ('not worse', True)
    """
    check_scores(scores, "gate")
    if rule is None:
        rule = Rule(rope=Rope.of(rope), threshold=threshold)
    elif rope is not ROPE or threshold != 0.95:
        raise ValueError("Give a `rule`, or `rope` and `threshold`, not both: the rule has its own.")
    differs = rule.differs(scores, baseline)
    for text in differs:
        if "the rule is about" in text or "direction" in text:
            raise ScoresError(f"{text[0].upper()}{text[1:]}. Use the rule for what it was written for.")
    both = scores.select(models=[candidate, baseline])
    c = compare(
        both,
        rope=rule.rope,
        threshold=rule.threshold,
        bayes=rule.test,
        bayes_options=None if rule.prior is None else {"prior": rule.prior},
        looks=rule.looks,
        control=candidate,
        random_seed=random_seed,
    )
    posterior = c.pair(candidate, baseline).posterior
    three = posterior.mean_three
    if three is None:
        raise ValueError(
            f"A gate needs a test of the mean difference, which the {posterior.method} has not. Use another `test`."
        )
    better, equivalent, worse = three
    chances = {"better": better, "not worse": better + equivalent, "worse": worse}
    verdict = next((name for name, p in chances.items() if p >= rule.threshold), "undecided")
    return GateResult(
        baseline=baseline,
        candidate=candidate,
        verdict=verdict,
        p_better=better,
        p_not_worse=min(1.0, better + equivalent),
        p_worse=worse,
        rule=rule,
        posterior=posterior,
        notes=(*differs, *c.notes, *((looks_text(rule.looks, planned=True),) if rule.looks > 1 else ())),
    )


def side_by_side(baseline: Scores, candidate: Scores) -> tuple[Scores, str, str]:
    """Two tables of one model each as one, and the names of the baseline and the candidate in it.

    Folds, items and datasets are matched by their names. Where both tables call their model the same, the models are
    called "baseline" and "candidate".

    Parameters
    ----------
    baseline, candidate : Scores

    See Also
    --------
    gate : takes it.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from bayescmp.gates import side_by_side
    >>> old, new = (bc.load_labour().select(models=[name]).rename({name: "model"}) for name in ("DT", "SVM"))
    >>> scores, baseline, candidate = side_by_side(old, new)
    >>> scores.models
    ('baseline', 'candidate')
    """
    from bayescmp.needs import pandas as pd

    for name, scores in (("baseline", baseline), ("candidate", candidate)):
        if not isinstance(scores, Scores):
            raise ScoresError(f"`{name}` must be Scores, got {type(scores).__name__}.")
        if len(scores.models) != 1:
            raise ScoresError(
                f"The {name} must be one model, got {name_list(scores.models)}. Use scores.select(models=[...])."
            )
    for what in ("metric", "higher_is_better", "scale"):
        one, two = getattr(baseline, what), getattr(candidate, what)
        if one != two:
            raise ScoresError(f"Baseline and candidate must have the same {what}, got {one!r} and {two!r}.")
    if baseline.models == candidate.models:
        baseline = baseline.rename({baseline.models[0]: "baseline"})
        candidate = candidate.rename({candidate.models[0]: "candidate"})
    designs: dict[str, Resampling | None] = {}
    for scores in (baseline, candidate):
        for name, design in zip(scores.datasets, scores.resampling, strict=True):
            if designs.setdefault(name, design) != design:
                raise ScoresError(
                    f'Baseline and candidate must have the same resampling on "{name}", got {designs[name]} and '
                    f"{design}."
                )
    both = Scores.from_frame(
        pd.concat([baseline.to_frame(), candidate.to_frame()], ignore_index=True),
        metric=baseline.metric,
        higher_is_better=baseline.higher_is_better,
        resampling={name: design for name, design in designs.items() if design is not None} or None,
    )
    return replace(both, scale=baseline.scale), baseline.models[0], candidate.models[0]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GateResult(Value):
    """The verdict of a gate on a candidate.

    Attributes
    ----------
    baseline, candidate : str
    verdict : "better", "not worse", "worse" or "undecided"
    p_better, p_not_worse, p_worse : float
        Probabilities that the candidate's mean difference to the baseline is above the rope, not below it, below it.
    rule : Rule
    posterior : Posterior
        Posterior of the candidate over the baseline.
    notes : tuple of str
        Such as that the baseline is not the one that the rule was written for.

    See Also
    --------
    gate : makes one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from bayescmp.gates import gate
    >>> gate(bc.load_uci(), baseline="rf", candidate="tree", rope=0.01).verdict
    'worse'
    """

    baseline: str
    candidate: str
    verdict: str
    p_better: float
    p_not_worse: float
    p_worse: float
    rule: Rule
    posterior: Posterior
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def passed(self) -> bool:
        """Whether the rule lets the candidate through."""
        return self.verdict in self.rule.passes

    @property
    def missing(self) -> str:
        """What an undecided gate lacks; empty where it is decided."""
        if self.verdict != "undecided":
            return ""
        ahead = self.p_not_worse >= self.p_worse
        name, p = ("not worse", self.p_not_worse) if ahead else ("worse", self.p_worse)
        return f"P({name}) is {self._shown(p)}, and {self.rule.threshold:g} is needed"

    def _shown(self, p: float) -> str:
        return probability(p, self.posterior.largest_mcse, self.rule.threshold)

    def sentence(self) -> str:
        """The verdict in one line, for a log."""
        head = f"{'PASS' if self.passed else 'FAIL'}: {self.candidate} is {self.verdict} than {self.baseline}"
        if self.verdict in ("not worse", "undecided"):
            head = f"{'PASS' if self.passed else 'FAIL'}: {self.candidate} vs {self.baseline}: {self.verdict}"
        what = with_direction(self.posterior.metric, self.posterior.higher_is_better)
        mean, (low, high) = self.posterior.mean or 0.0, self.posterior.hdi()
        numbers = f"P(not worse) = {self._shown(self.p_not_worse)}, P(better) = {self._shown(self.p_better)}"
        rest = f"; {self.missing}" if self.missing else ""
        return one_line(
            f"{head} ({what}; {numbers}, rope {self.rule.rope.short}; mean difference {mean:.3g}, 95% HDI "
            f"[{low:.3g}, {high:.3g}]){rest}"
        )

    def to_markdown(self) -> str:
        """A table for the comment of a pull request; names are escaped."""
        from bayescmp.reports.escape import markdown

        rows = [
            ("verdict", f"**{self.verdict}** ({'pass' if self.passed else 'fail'})"),
            ("P(better)", self._shown(self.p_better)),
            ("P(not worse)", self._shown(self.p_not_worse)),
            ("P(worse)", self._shown(self.p_worse)),
            ("rope", markdown(self.rule.rope.short)),
            ("test", markdown(self.posterior.method)),
            ("rule", self.rule.fingerprint),
        ]
        lines = [f"| {markdown(self.candidate)} against {markdown(self.baseline)} | |", "|---|---|"]
        lines += [f"| {name} | {value} |" for name, value in rows]
        return "\n".join([*lines, *(f"\n{markdown(note)}" for note in (*self.notes, self.missing) if note), ""])

    def __repr__(self) -> str:
        return visible_lines([self.sentence(), *(f"  note: {note}" for note in self.notes)])


def _fingerprint(scores: Scores, model: str) -> str:
    """A short name for the scores of one model: the same for the same numbers on the same datasets."""
    one = scores.select(models=[model])
    digest = hashlib.sha256(repr((one.datasets, one.metric, one.higher_is_better)).encode())
    digest.update(np.ascontiguousarray(one.values).tobytes())
    return digest.hexdigest()[:16]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(f"\\u{ord(x):04X}" if ord(x) < 32 or ord(x) == 127 else x for x in escaped) + '"'
    return repr(value)
