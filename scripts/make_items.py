"""Train eight classifiers once on seven data sets and store right or wrong on every test case.

Writes ``items.csv`` into ``bayescmp/scores/data``: one row per test case, with its row number in the data set (its
name), its cluster (the speaker of a vowel), which models were right (a 0 or 1 for each of `MODELS`), and the predicted
probability of the true class in hundredths. The data sets are those of ``make_uci_results.py``; see there for how to
get them::

    python scripts/make_items.py --data DIR
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from make_uci_results import MLBENCH, MLBENCH_DATA, MODELS, SEED, Dataset, build_models, load
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

NAMES = ("credit-g", "digits", "dna", "letter", "satellite", "segment-challenge", "vowel")
MOST_CASES = 500


def main() -> None:
    packaged = Path(__file__).resolve().parents[1] / "bayescmp" / "scores" / "data"
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("/"), metavar="DIR", help="as in make_uci_results.py")
    parser.add_argument("--out", type=Path, default=packaged, metavar="DIR")
    args = parser.parse_args()
    tables = []
    for name in NAMES:
        table = answers(load(name, args.data), clusters(name, args.data))
        tables.append(table)
        share = np.mean([[int(x) for x in text] for text in table["right"]], axis=0)
        print(f"{name:18}{len(table):5}  " + "  ".join(f"{m} {x:.3f}" for m, x in zip(MODELS, share, strict=True)))
    pd.concat(tables).to_csv(args.out / "items.csv", index=False, lineterminator="\n")


def clusters(name: str, root: Path) -> np.ndarray | None:
    """The speaker of every vowel; the other data sets have no clusters."""
    if name != "vowel":
        return None
    import rdata

    (frame,) = rdata.read_rda(root / MLBENCH_DATA / f"{MLBENCH[name][0]}.rda", default_encoding="ascii").values()
    return np.array([f"speaker {x}" for x in frame["V1"]])


def answers(data: Dataset, groups: np.ndarray | None) -> pd.DataFrame:
    """One row per test case: half of the data, at most `MOST_CASES`; whole speakers where there are speakers."""
    rows = np.arange(len(data.y))
    if groups is None:
        size = min(MOST_CASES, len(rows) // 2)
        train, test = train_test_split(rows, test_size=size, stratify=data.y, random_state=SEED)
        test = np.sort(test)
    else:
        names = np.unique(groups)
        held_out = np.random.default_rng(SEED).permutation(names)[: len(names) // 2]
        in_test = np.isin(groups, held_out)
        train, test = rows[~in_test], rows[in_test]
    right, truth = [], []
    with threadpool_limits(1):
        for name, model in zip(MODELS, build_models(data.nominal), strict=True):
            model.fit(data.x[train], data.y[train])
            right.append((model.predict(data.x[test]) == data.y[test]).astype(int))
            if name == "svm":  # has no probabilities of its own
                model = CalibratedClassifierCV(model, ensemble=False).fit(data.x[train], data.y[train])
            place = np.searchsorted(model.classes_, data.y[test])
            truth.append(model.predict_proba(data.x[test])[np.arange(len(test)), place])
    hundredths = np.round(100 * np.array(truth)).astype(int).T
    return pd.DataFrame(
        {
            "dataset": data.name,
            "item": test,
            "cluster": "" if groups is None else groups[test],
            "right": ["".join(map(str, row)) for row in np.array(right).T],
            "probability": [" ".join(map(str, row)) for row in hundredths],
        }
    )


if __name__ == "__main__":
    main()
