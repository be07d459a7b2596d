"""Every test's `pm.Model` by name, the reference that its fast engine is checked against; and what NUTS draws from it.

The models themselves stand beside their tests.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayescmp import _compat, catalogue
from bayescmp.bayes import nuts
from bayescmp.bayes.distributions import Draws, Floats
from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.regions import RegionInference, RegionSummary, sampled_summary
from bayescmp.checks import checked_seed, is_one_of
from bayescmp.errors import name_list
from bayescmp.rope import Rope, RopeLike
from bayescmp.scores.pair import Pair


def pymc_model(
    name: str, pair: Pair | Any, *, rope: RopeLike | None = None, dataset: str | None = None, **options: Any
) -> Any:
    """The PyMC model of a test, with the pair's data.

    Parameters
    ----------
    name : str
        The name of the test's function: "correlated_ttest", "sign_test", "signed_rank_test", "hierarchical_ttest",
        "bradley_terry", "plackett_luce", "multilevel", or a test of your own whose entry has a `pm.Model`.
    pair : Pair
        Or the `Scores` of all models for "bradley_terry", "plackett_luce" and "multilevel".
    rope : float, (low, high) or Rope
        The rope of "sign_test" and "bradley_terry", whose counts depend on it.
    dataset : str, optional
        Which dataset, for "correlated_ttest".
    **options
        `prior` and the like, as in the test itself.

    Returns
    -------
    pm.Model

    See Also
    --------
    correlated_ttest, hierarchical_ttest : engine="nuts" samples this model.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_labour().pair("SVM", "DT")
    >>> model = bc.bayes.pymc_model("correlated_ttest", pair)  # doctest: +SKIP
    """
    known = {test.name: test.pymc for test in catalogue.entries("bayes", takes=None) if test.pymc}
    if not is_one_of(name, known):
        raise ValueError(f"`name` must be one of {name_list(known, len(known))}, got {name!r}.")
    build = catalogue.imported(known[name])
    given = {key: x for key, x in (("rope", rope), ("dataset", dataset)) if x is not None} | options
    parameters = inspect.signature(build).parameters
    unknown = [key for key in given if key not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        takes = ", ".join(f"`{key}`" for key in list(parameters)[1:]) or "no options"
        raise ValueError(f"`{unknown[0]}` is not an option of the model of {name}, which takes {takes}.")
    return build(pair, **given)


def sample_difference(model: Any, random_seed: int | None, options: dict[str, Any]) -> tuple[Draws, dict[str, Any]]:
    """NUTS draws of a model's `difference`, and the fields that a result records about the run."""
    fields = sample(model, random_seed, options)
    chains = _compat.group(fields["inference_data"], "posterior")["difference"].values
    return Draws(chains), fields


def sample_regions(
    model: Any,
    theta: Callable[[dict[str, Any]], Floats],
    rope: Rope,
    random_seed: int | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """NUTS draws of theta (a function of the draws by name), and the other fields of a result."""
    fields = sample(model, random_seed, options)
    posterior = _compat.group(fields["inference_data"], "posterior")
    draws = theta({name: posterior[name].values for name in posterior.data_vars})
    return fields | {"inference": SampledRegions(draws, (rope.low, rope.high))}


def sample(model: Any, random_seed: int | None, options: dict[str, Any]) -> dict[str, Any]:
    """A run of NUTS: the fields that a result records about it."""
    seed = checked_seed(random_seed)
    data, diagnostics = nuts.sample(model, random_seed=seed, **options)
    return {"random_seed": seed, "diagnostics": diagnostics, "inference_data": data}


@dataclass(frozen=True, eq=False)
class SampledRegions(RegionInference):
    """theta as NUTS drew it, chains x draws x 3, for the rope that the model was made for."""

    chains: Floats
    rope: tuple[float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chains", np.asarray(self.chains, dtype=float))

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        if any([rope.low, rope.high] != list(self.rope) for rope in ropes):
            raise ValueError(
                f"NUTS drew theta for the rope {list(self.rope)}. For another rope run the test again, or use the fast "
                "engine, which keeps its posterior for any rope."
            )
        return [sampled_summary(self.chains, rope) for rope in ropes]

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        flat = self.chains.reshape(-1, 3)
        return np.random.default_rng(random_seed or 0).choice(flat, n, replace=n > len(flat))

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.chains.reshape(-1, 3).T]

    @property
    def mean(self) -> None:
        return None

    def hdi(self, mass: float) -> tuple[float, float]:
        raise ValueError("NUTS drew theta only: there is no HDI of the difference. Use the fast engine.")

    def swap(self) -> "SampledRegions":
        low, high = self.rope
        return SampledRegions(self.chains[..., ::-1], (0.0 - high, 0.0 - low))
