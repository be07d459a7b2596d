"""The hierarchical model's estimate for each dataset, and a check whether it could have made such data."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.hierarchical.convolution import log_student
from bayescmp.rope import Rope

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
DRAWS = 1000
_X, _W = np.polynomial.legendre.leggauss(6)
_STEPS = np.concatenate([np.arange(0, 4.1, 0.5), 4 * 2.0 ** np.arange(1, 12)])


def datasets_frame(inference: Any, rope: Rope, mass: float) -> "pd.DataFrame":
    """One row per dataset: raw mean, shrunken mean, its HDI, and the three probabilities of its own delta_i."""
    from bayescmp.needs import pandas as pd

    rng = np.random.default_rng(0)
    hyper = inference.hyper_draws(DRAWS, 0)
    rows, datum = [], getattr(inference, "datum", None)
    for i, name in enumerate(inference.names):
        statistics = inference.means[i], inference.scales[i], inference.dfs[i]
        values, weights = _conditional(*statistics, hyper, rope, datum and partial(datum, i))
        region = rope.regions(values)
        picked = np.minimum((np.cumsum(weights, axis=1) < rng.random((DRAWS, 1))).sum(axis=1), values.shape[1] - 1)
        low, high = hdi(values[np.arange(DRAWS), picked], mass)
        rows.append(
            {
                "dataset": name,
                "n": int(inference.counts[i]),
                "mean": inference.means[i],
                "shrunken": float((weights * values).sum() / DRAWS),
                "hdi_low": low,
                "hdi_high": high,
                **{
                    f"p_{label}": float((weights * (region == r)).sum() / DRAWS)
                    for label, r in (("better", 1), ("equivalent", 0), ("worse", -1))
                },
            }
        )
    return pd.DataFrame(rows).set_index("dataset")


def _conditional(
    mean: float,
    scale: float,
    df: float,
    hyper: tuple[Floats, Floats, Floats],
    rope: Rope,
    datum: Callable[[Floats], Floats] | None = None,
) -> tuple[Floats, Floats]:
    """Values of delta_i and their weights, for each draw of the hyperparameters: a product of two Student t.

    `datum` is the log likelihood of delta_i where that is not the Student t of (mean, scale, df).
    """
    delta, sigma, nu = hyper
    both = np.concatenate([-_STEPS[:0:-1], _STEPS])
    borders = [0.0, *(x for x in (rope.low, rope.high) if np.isfinite(x))]
    edges = np.concatenate(
        [
            delta[:, None] + sigma[:, None] * both,
            np.broadcast_to(mean + scale * both, (delta.size, both.size)),
            np.broadcast_to(borders, (delta.size, len(borders))),
        ],
        axis=1,
    )
    edges.sort(axis=1)
    half = np.diff(edges) / 2
    values = ((edges[:, :-1] + half)[..., None] + half[..., None] * _X).reshape(delta.size, -1)
    logs = log_student((values - mean) / scale, df) if datum is None else datum(values)
    z2 = ((values - delta[:, None]) / sigma[:, None]) ** 2
    finite = np.minimum(nu, 1e10)[:, None]
    logs = logs - (finite + 1) / 2 * np.log1p(z2 / finite)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True)) * (half[..., None] * _W).reshape(delta.size, -1)
    return values, weights / weights.sum(axis=1, keepdims=True)


def predictive_check(inference: Any, draws: int = 4000) -> "pd.DataFrame":
    """Statistics of the dataset means, observed and as the model makes them: P(replicated >= observed)."""
    from bayescmp.needs import pandas as pd

    rng = np.random.default_rng(0)
    delta, sigma, nu = inference.hyper_draws(draws, 0)
    shape = (draws, inference.means.size)
    with np.errstate(over="ignore"):
        effects = delta[:, None] + sigma[:, None] * rng.standard_t(np.minimum(nu, 1e10)[:, None], shape)
    replicated = effects + inference.scales * rng.standard_t(inference.dfs, shape)
    statistics = {"mean": np.mean, "sd": np.std, "smallest": np.min, "largest": np.max, "median": np.median}
    rows = []
    for name, statistic in statistics.items():
        observed, made = float(statistic(inference.means)), statistic(replicated, axis=1)  # type: ignore[operator]
        rows.append(
            {
                "statistic": name,
                "observed": observed,
                "replicated_median": float(np.median(made)),
                "tail_probability": float(np.mean(made >= observed)),
            }
        )
    return pd.DataFrame(rows).set_index("statistic")
