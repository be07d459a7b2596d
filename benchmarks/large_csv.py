"""A large csv file, from the file to `Scores`, beside the time that pandas takes to read it."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from _timing import Case, Growth, Work

import bayescmp as bc

MODELS, SPLITS = 10, 100


def results(rows: int) -> str:
    """A long table of 10 models and 10 x 10 folds, its rows in random order; written once."""
    import pandas as pd

    path = Path(tempfile.gettempdir()) / f"bayescmp_benchmark_{rows}.csv"
    if not path.exists():
        rng, i = np.random.default_rng(1), np.arange(rows)
        columns = {
            "model": np.array([f"model_{k}" for k in range(MODELS)])[i % MODELS],
            "dataset": np.char.add("dataset ", (i // (MODELS * SPLITS)).astype(str)),
            "repeat": i // (MODELS * 10) % 10 + 1,
            "fold": i // MODELS % 10 + 1,
            "accuracy": rng.uniform(0.5, 1, rows),
        }
        pd.DataFrame(columns).sample(frac=1, random_state=1).to_csv(path, index=False)
    return str(path)


def ours(rows: int) -> Work:
    path = results(rows)
    return lambda: bc.read_scores(path, metric="accuracy")


def peer(rows: int) -> Work:
    import pandas as pd

    path = results(rows)
    return lambda: pd.read_csv(path)


def cases() -> list[Case]:
    return [
        Case(
            f"read_scores, csv of {rows:,} rows",
            partial(ours, rows),
            {"pandas.read_csv": partial(peer, rows)},
            turns=turns,
        )
        for rows, turns in ((1_000_000, 9), (10_000_000, 2))
    ]


def growths() -> list[Growth]:
    return [Growth("read_scores of a csv", "rows", (100_000, 200_000, 400_000, 800_000), ours)]
