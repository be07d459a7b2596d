"""A `Comparison` as plain data for JSON, and back."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bayescmp.bayes.hierarchical.prior import HierarchicalPrior
from bayescmp.comparison.result import Comparison
from bayescmp.comparison.setting import Setting
from bayescmp.errors import MALFORMED
from bayescmp.frequentist import PairwiseTests, TestResult
from bayescmp.rope import Rope
from bayescmp.scores.table import Scores

PLAIN = ("control", "against", "threshold", "alpha", "switching_cost", "random_seed", "versions")
TEXTS = ("a", "b", "metric", "dataset", "method", "engine", "decision", "notes")
INFINITE = (math.inf, -math.inf)
"""JSON has no infinity: it is spelled out, and read back where a number belongs."""


def to_dict(c: Comparison) -> dict[str, Any]:
    """Plain data for JSON."""
    rope = c.rope
    return {
        "kind": "comparison",
        "scores": c.scores.to_dict(),
        "rope": _rope_out(rope) if isinstance(rope, Rope) else {d: _rope_out(Rope.of(r)) for d, r in rope.items()},
        "setting": asdict(c.setting) | {"why": list(c.setting.why)},
        **{name: getattr(c, name) for name in PLAIN},
        "bayes_options": {name: _option_out(x) for name, x in c.bayes_options.items()},
        "rows": [{k: str(x) if x in INFINITE else x for k, x in row.items()} for row in c.rows],
        "tests": c.tests.to_dict(),
        "corrected_p": None if c.corrected_p is None else list(c.corrected_p),
        "omnibus": [t.to_dict() for t in c.omnibus],
        "notes": list(c.notes),
    }


def from_dict(data: Mapping[str, Any]) -> Comparison:
    """The inverse of `to_dict`, also after a trip through JSON."""
    try:
        rope = data["rope"]
        setting = dict(data["setting"])
        corrected = data["corrected_p"]
        return Comparison(
            scores=Scores.from_dict(data["scores"]),
            rope={d: _rope_in(r) for d, r in rope.items()} if isinstance(rope, dict) else _rope_in(rope),
            setting=Setting(**setting | {"why": tuple(setting["why"])}),
            **{name: data[name] for name in PLAIN},
            bayes_options={name: _option_in(x) for name, x in data["bayes_options"].items()},
            rows=tuple({k: _number(x) if k not in TEXTS else x for k, x in r.items()} for r in data["rows"]),
            tests=PairwiseTests.from_dict(data["tests"]),
            corrected_p=None if corrected is None else tuple(corrected),
            omnibus=tuple(TestResult.from_dict(t) for t in data["omnibus"]),
            notes=tuple(data["notes"]),
        )
    except MALFORMED as error:
        raise ValueError(f"`data` must come from Comparison.to_dict; wrong or missing: {error!r}.") from None


def _option_out(value: Any) -> Any:
    return {"HierarchicalPrior": asdict(value)} if isinstance(value, HierarchicalPrior) else value


def _option_in(value: Any) -> Any:
    return HierarchicalPrior(**value["HierarchicalPrior"]) if isinstance(value, dict) else value


def _number(x: Any) -> Any:
    return float(x) if isinstance(x, str) else x


def _rope_out(rope: Rope) -> list[float | None]:
    return [border if math.isfinite(border) else None for border in (rope.low, rope.high)]


def _rope_in(borders: list[float | None]) -> Rope:
    low, high = borders
    return Rope(-math.inf if low is None else low, math.inf if high is None else high)
