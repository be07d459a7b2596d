"""Is P(best) calibrated? Simulated studies from stated populations, where the truly best model is known.

Datasets differ in level; the models' differences vary between datasets, normally or with heavy tails. The truth is the
model with the best mean (rank or score) over the population. A calibrated P(best) of 0.7 is right in 70 % of studies.
The bootstrap has no prior that these truths come from, so that the diagonal is not promised: this shows how far it is.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import bayescmp as bc

STUDIES, MODELS = 600, 5
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


def study(rng: np.random.Generator, datasets: int, tails: str) -> tuple[bc.Scores, int]:
    """A table of results, and the model that is truly best by mean score and, as noise is symmetric, by mean rank."""
    truth = rng.normal(0, 0.01, MODELS)
    noise = rng.standard_t(3, (MODELS, datasets)) if tails == "heavy" else rng.normal(size=(MODELS, datasets))
    level = rng.uniform(0.6, 0.9, datasets)
    values = level + truth[:, None] + 0.03 * noise
    return bc.Scores.from_arrays(
        {f"m{i}": values[i] for i in range(MODELS)}, metric="accuracy", datasets=datasets
    ), int(truth.argmax())


def main() -> None:
    rng = np.random.default_rng(7)
    for datasets, tails in ((10, "normal"), (40, "normal"), (40, "heavy")):
        claimed: dict[str, list[float]] = {"rank": [], "score": []}
        right: dict[str, list[bool]] = {"rank": [], "score": []}
        for i in range(STUDIES):
            scores, best = study(rng, datasets, tails)
            for by in claimed:
                p = list(bc.bayes.rank_models(scores, rope=0, by=by, draws=4000, random_seed=i).p_best.values())
                claimed[by] += p
                right[by] += [m == best for m in range(MODELS)]
        print(f"\n{STUDIES} studies of {MODELS} models on {datasets} datasets, {tails} differences")
        print(f"{'P(best) claimed':>19}" + "".join(f"{f'{a:g} to {b:g}':>12}" for a, b in pairwise(BINS)))
        for by in claimed:
            print(f"{f'by {by}: mean, true':>19}" + row(np.array(claimed[by]), np.array(right[by])))


def row(claimed: NDArray[np.float64], right: NDArray[np.bool_]) -> str:
    """For each range of claims their mean, and how often they were right."""
    cells = []
    for low, high in pairwise(BINS):
        here = (claimed >= low) & ((claimed < high) | (high == 1))
        cells.append(f"{claimed[here].mean():.2f} {right[here].mean():.2f}" if here.any() else "-")
    return "".join(f"{cell:>12}" for cell in cells)


if __name__ == "__main__":
    main()
