"""What the tests over many datasets are given: one pair, at least two datasets, a rope on their scale."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.errors import RopeError, ScoresError
from bayescmp.rope import Rope, RopeLike, rope_for, warn_if_other_scale
from bayescmp.scores.arrays import as_pair
from bayescmp.scores.pair import Pair


def many_datasets(
    a: Pair | ArrayLike,
    b: ArrayLike | None,
    rope: RopeLike | Mapping[str, RopeLike],
    higher_is_better: bool | None,
    test: str,
) -> tuple[Pair, Rope]:
    """The pair and the rope; with a rope for each dataset, differences and rope in units of those ropes."""
    pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
    if len(pair.datasets) < 2:
        raise ScoresError(
            f"`{test}` needs at least 2 datasets, but {pair.a} vs {pair.b} has {len(pair.datasets)}. For one dataset "
            "use correlated_ttest."
        )
    if isinstance(rope, Mapping):
        return in_rope_units(pair, rope), Rope(-1, 1)
    region = Rope.of(rope)
    if pair.scale == "score":
        warn_if_other_scale(region, np.concatenate([pair.scores_a, pair.scores_b]))
    return pair, region


def in_rope_units(pair: Pair, rope: Mapping[str, RopeLike]) -> Pair:
    """Differences divided by each dataset's rope, so that datasets of different units can be put together."""
    ropes = [rope_for(rope, name) for name in pair.datasets]
    for name, r in zip(pair.datasets, ropes, strict=True):
        if not (r.high == -r.low and 0 < r.high < np.inf):
            raise RopeError(
                f'Ropes for each dataset must be symmetric, finite and above 0 here, but "{name}" has {r}: differences '
                "are put together in units of their ropes."
            )
    width = np.array([r.high for r in ropes])[:, None]
    return replace(pair, scores_a=pair.scores_a / width, scores_b=pair.scores_b / width, scale="ropes")


def about(pair: Pair) -> dict[str, Any]:
    """The fields of a result that tell what was compared."""
    return {
        "a": pair.a,
        "b": pair.b,
        "metric": pair.metric,
        "higher_is_better": pair.higher_is_better,
        "scale": pair.scale,
        "datasets": pair.datasets,
        "n": len(pair.datasets),
    }
