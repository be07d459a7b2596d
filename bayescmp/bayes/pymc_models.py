"""Every test's `pm.Model` by name, the reference that its fast engine is checked against; and what NUTS draws from it.

The models themselves stand beside their tests.
"""

import inspect
from typing import Any

from bayescmp import _compat, catalogue
from bayescmp.bayes import nuts
from bayescmp.bayes.distributions import Draws
from bayescmp.checks import checked_seed, is_one_of
from bayescmp.errors import name_list
from bayescmp.rope import RopeLike
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


def sample(model: Any, random_seed: int | None, options: dict[str, Any]) -> dict[str, Any]:
    """A run of NUTS: the fields that a result records about it."""
    seed = checked_seed(random_seed)
    data, diagnostics = nuts.sample(model, random_seed=seed, **options)
    return {"random_seed": seed, "diagnostics": diagnostics, "inference_data": data}
