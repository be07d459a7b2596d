"""The result of a Bayesian test: a value that knows what it is about, prints on one screen, and survives JSON."""

import math
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from bayescmp.bayes.nuts import Diagnostics
from bayescmp.checks import check_threshold
from bayescmp.errors import MALFORMED
from bayescmp.rope import Decision, Rope, RopeLike
from bayescmp.scores.pair import SCALES
from bayescmp.text import plain, probability, versions

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """What every Bayesian result has: names, settings, three probabilities, a decision.

    Attributes
    ----------
    a, b : str
        The models' names. "Better" is of A over B.
    metric, higher_is_better, scale
        What was measured, its direction, and the scale of the differences.
    datasets : tuple of str
    n : int
        The number of paired scores that were used.
    rope : Rope
    method, engine, estimand : str
        The test, how it was computed, and what the probabilities are probabilities of.
    settings : dict
        Whatever else changes the numbers.
    random_seed : int or None
        None where nothing was drawn.
    diagnostics : Diagnostics or None
        Of NUTS.
    notes : tuple of str
        Degenerate data and the like.
    versions : dict

    See Also
    --------
    DifferencePosterior, RegionPosterior

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.sign_test(bc.load_uci().pair("rf", "nb"), rope=0.01)
    >>> bc.bayes.Posterior.from_dict(p.to_dict()) == p
    True
    """

    a: str
    b: str
    metric: str | None
    higher_is_better: bool
    scale: str
    datasets: tuple[str, ...]
    n: int
    rope: Rope
    method: str
    engine: str
    estimand: str
    settings: dict[str, Any] = field(default_factory=dict)
    random_seed: int | None = None
    diagnostics: Diagnostics | None = None
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)

    kind: ClassVar[str]
    KINDS: ClassVar[dict[str, type["Posterior"]]] = {}

    def __init_subclass__(cls) -> None:
        cls.KINDS[cls.kind] = cls

    @property
    def _three(self) -> tuple[float, ...]:
        raise NotImplementedError

    @property
    def p_better(self) -> float:
        """The probability that A is better than B by more than the rope."""
        return self._three[0]

    @property
    def p_equivalent(self) -> float:
        """The probability that A and B are practically equivalent."""
        return self._three[1]

    @property
    def p_worse(self) -> float:
        """The probability that B is better than A by more than the rope."""
        return self._three[2]

    @property
    def probabilities(self) -> dict[str, float]:
        """The three probabilities by name."""
        return dict(zip(self._labels, self._three, strict=True))

    @property
    def mcse(self) -> dict[str, float]:
        """The Monte-Carlo standard error of each probability: 0.0 where it is exact."""
        return dict.fromkeys(self._labels, 0.0)

    @property
    def _labels(self) -> tuple[str, str, str]:
        return f"{self.a} better", "equivalent", f"{self.b} better"

    def decision(self, threshold: float = 0.95) -> Decision:
        """The region whose probability reaches the threshold; undecided where none does."""
        check_threshold(threshold)
        outcomes = (Decision.A_BETTER, Decision.EQUIVALENT, Decision.B_BETTER)
        for outcome, p in zip(outcomes, self._three, strict=True):
            if p >= threshold:
                return outcome
        return Decision.UNDECIDED

    def with_rope(self, rope: RopeLike) -> "Posterior":
        """The same posterior with another rope; nothing is computed anew."""
        return replace(self, rope=Rope.of(rope))

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the result, and return the Axes.

        Kinds: "posterior", "hdi" and "rope_curve" of a mean difference; over many datasets "simplex" first, and
        "prior_sensitivity"; of the hierarchical test also "forest". The options are those of `plots.plot_<kind>`.
        """
        from bayescmp.plots import plot_result

        return plot_result(self, kind, **options)

    def to_frame(self) -> "pd.DataFrame":
        """One row: what was compared, estimate, interval, probabilities, decision."""
        import pandas as pd

        return pd.DataFrame([self._row()])

    def _row(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "dataset": self.datasets[0] if len(self.datasets) == 1 else None,
            "n": self.n,
            "method": self.method,
            "engine": self.engine,
            "p_better": self.p_better,
            "p_equivalent": self.p_equivalent,
            "p_worse": self.p_worse,
            "mcse": max(self.mcse.values()),
            "rope_low": self.rope.low,
            "rope_high": self.rope.high,
            "decision": self.decision().value,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: inputs, settings and summaries; `Posterior.from_dict` reads it back."""
        data = {f.name: deepcopy(getattr(self, f.name)) for f in fields(self) if f.name != "inference_data"}
        data |= {
            "kind": self.kind,
            "rope": [border if math.isfinite(border) else None for border in (self.rope.low, self.rope.high)],
            "diagnostics": self.diagnostics.to_dict() if self.diagnostics else None,
            "datasets": list(self.datasets),
            "notes": list(self.notes),
            "probabilities": list(self._three),
        }
        return {name: plain(value) for name, value in data.items()}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Posterior":
        """The result whose `to_dict` gave `data`, also after a trip through JSON."""
        try:
            cls = Posterior.KINDS[data["kind"]]
            low, high = data["rope"]
            values = {f.name: data[f.name] for f in fields(cls) if f.name in data}
            values |= {
                "rope": Rope(-math.inf if low is None else low, math.inf if high is None else high),
                "diagnostics": Diagnostics(**data["diagnostics"]) if data["diagnostics"] else None,
                "datasets": tuple(data["datasets"]),
                "notes": tuple(data["notes"]),
            }
            return cls(**cls._parse(values))
        except MALFORMED as error:
            raise ValueError(
                f"`data` must come from a result's to_dict, with a kind of {', '.join(sorted(Posterior.KINDS))}; "
                f"wrong or missing: {error!r}."
            ) from None

    @classmethod
    def _parse(cls, values: dict[str, Any]) -> dict[str, Any]:
        return values

    def _heading(self) -> str:
        trouble = (
            f"NOT CONVERGED: {'; '.join(self.diagnostics.problems)}\n"
            if self.diagnostics and self.diagnostics.problems
            else ""
        )
        scale = "" if self.scale == "score" else f" ({SCALES[self.scale]})"
        return f"{trouble}Posterior: {self.a} vs {self.b}, {self.metric or 'score'}{scale}, {self.method}"

    def _show(self, p: float) -> str:
        return probability(p, max(self.mcse.values()))

    def _probability_line(self) -> str:
        parts = [f"P({label}) {self._show(p)}" for label, p in self.probabilities.items()]
        if self.rope.is_zero:
            del parts[1]
        rope = "no rope" if self.rope.is_zero else f"rope {self.rope}"
        return "  " + "   ".join(parts) + f"      {rope}"
