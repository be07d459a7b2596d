"""Cross-validate eight classifiers on 24 data sets and store the correct predictions per fold.

Writes two tables into ``bayescmp/scores/data``: ``uci.csv`` (one row per test fold of 10
repeats of stratified 10-fold cross-validation, the same folds for every model) and
``uci_datasets.csv`` (one row per data set: size, source, and what was changed).

Most data sets come from two Debian packages. Install them, or extract them anywhere and pass
that directory as ``--data``::

    apt-get download weka r-cran-mlbench
    for deb in *.deb; do dpkg -x "$deb" DIR; done
    pip install scikit-learn pandas scipy rdata
    python scripts/make_uci_results.py --data DIR

The output does not depend on ``--n-jobs``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdata
from joblib import Parallel, delayed
from scipy.io import arff
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

FOLDS = 10
REPEATS = 10
SEED = 20240
MAX_ROWS = 1500

WEKA_EXAMPLES = "usr/share/doc/weka/examples"
MLBENCH_DATA = "usr/lib/R/site-library/mlbench/data"

SKLEARN: dict[str, Callable[..., Any]] = {
    "digits": load_digits,
    "iris": load_iris,
    "wdbc": load_breast_cancer,
    "wine": load_wine,
}
WEKA = (
    "breast-cancer",
    "credit-g",
    "diabetes",
    "glass",
    "ionosphere",
    "labor",
    "segment-challenge",
    "supermarket",
    "unbalanced",
    "vote",
)
MLBENCH = {  # name: (file, class column)
    "breast-w": ("BreastCancer", "Class"),
    "dna": ("DNA", "Class"),
    "letter": ("LetterRecognition", "lettr"),
    "satellite": ("Satellite", "classes"),
    "shuttle": ("Shuttle", "Class"),
    "sonar": ("Sonar", "Class"),
    "soybean": ("Soybean", "Class"),
    "vehicle": ("Vehicle", "Class"),
    "vowel": ("Vowel", "Class"),
    "zoo": ("Zoo", "type"),
}
IDENTIFIERS = {"breast-w": ("Id", "patient"), "vowel": ("V1", "speaker")}
NAMES = sorted([*SKLEARN, *WEKA, *MLBENCH])
MODELS = ("nb", "lr", "svm", "knn", "tree", "tree_pruned", "rf", "gbm")


def main() -> None:
    args = parse_args()
    scores, summaries = [], []
    for name in args.only or NAMES:
        start = time.perf_counter()
        data = load(name, args.data)
        table = cross_validate(data, args.n_jobs)
        scores.append(table)
        summaries.append(data.summary())
        accuracy = table[list(MODELS)].sum() / table["n_test"].sum()
        shown = "  ".join(f"{model} {accuracy[model]:.3f}" for model in MODELS)
        print(f"{name:18}{time.perf_counter() - start:5.0f} s  {shown}", flush=True)
    write(pd.concat(scores), args.out / "uci.csv")
    write(pd.DataFrame(summaries), args.out / "uci_datasets.csv")


def parse_args() -> argparse.Namespace:
    packaged = Path(__file__).resolve().parents[1] / "bayescmp" / "scores" / "data"
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("/"),
        metavar="DIR",
        help="where weka and r-cran-mlbench are extracted (default: /, the installed packages)",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: bayescmp/scores/data of this project")
    parser.add_argument("--n-jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help="just these data sets; needs --out")
    args = parser.parse_args()
    if args.only and not args.out:
        parser.error("--only needs --out, so that it cannot replace the full tables")
    args.only = sorted(set(args.only or ()))
    args.out = args.out or packaged
    args.out.mkdir(parents=True, exist_ok=True)
    return args


def write(table: pd.DataFrame, path: Path) -> None:
    table.to_csv(path, index=False, lineterminator="\n")


# --- Cross-validation -------------------------------------------------------------------------


def cross_validate(data: Dataset, n_jobs: int) -> pd.DataFrame:
    """The number of correct predictions of every model in every test fold."""
    splitter = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=SEED)
    splits = list(splitter.split(data.x, data.y))
    correct = Parallel(n_jobs=n_jobs)(delayed(count_correct)(data, train, test) for train, test in splits)
    table = pd.DataFrame(correct, columns=list(MODELS))
    table.insert(0, "dataset", data.name)
    table.insert(1, "repeat", np.repeat(np.arange(1, REPEATS + 1), FOLDS))
    table.insert(2, "fold", np.tile(np.arange(1, FOLDS + 1), REPEATS))
    table.insert(3, "n_train", [len(train) for train, _ in splits])
    table.insert(4, "n_test", [len(test) for _, test in splits])
    return table


def count_correct(data: Dataset, train: np.ndarray, test: np.ndarray) -> list[int]:
    # One thread: the order of floating-point sums, hence the result, must not depend on n_jobs.
    with threadpool_limits(1):
        fitted = [m.fit(data.x[train], data.y[train]) for m in build_models(data.nominal)]
        return [int(np.sum(m.predict(data.x[test]) == data.y[test])) for m in fitted]


def build_models(nominal: np.ndarray) -> Iterator[Pipeline]:
    """The models, in the order of `MODELS`; `nominal` marks the columns that hold level codes."""
    # A column may be entirely missing in the training part of a small data set.
    numbers = SimpleImputer(strategy="median", keep_empty_features=True)
    levels = make_pipeline(
        SimpleImputer(strategy="most_frequent", keep_empty_features=True),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    prepare = ColumnTransformer([("numbers", numbers, ~nominal), ("levels", levels, nominal)])
    scale = StandardScaler()

    yield make_pipeline(prepare, GaussianNB())
    yield make_pipeline(prepare, scale, LogisticRegression(max_iter=2000))
    yield make_pipeline(prepare, scale, SVC())
    yield make_pipeline(prepare, scale, KNeighborsClassifier(n_neighbors=5))
    yield make_pipeline(prepare, DecisionTreeClassifier(random_state=1))
    # The same seed as above, so that the two differ only where something is pruned.
    yield make_pipeline(prepare, DecisionTreeClassifier(ccp_alpha=0.002, random_state=1))
    yield make_pipeline(prepare, RandomForestClassifier(n_estimators=100, random_state=2))
    # Without the penalty, boosting diverges in a quarter of the folds of letter (26 classes).
    boosting = HistGradientBoostingClassifier(
        max_iter=50,
        learning_rate=0.2,
        max_leaf_nodes=8,
        min_samples_leaf=5,
        l2_regularization=1.0,
        early_stopping=False,
        random_state=3,
    )
    yield make_pipeline(prepare, boosting)


# --- Data sets --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dataset:
    name: str
    x: np.ndarray  # floats; NaN is missing
    y: np.ndarray  # class codes
    nominal: np.ndarray  # which columns of x hold codes of unordered levels
    rows_total: int
    source: str
    note: str

    def summary(self) -> dict[str, object]:
        sizes = np.unique(self.y, return_counts=True)[1]
        return {
            "dataset": self.name,
            "rows": len(self.y),
            "rows_total": self.rows_total,
            "features": self.x.shape[1],
            "classes": len(sizes),
            "majority": f"{sizes.max() / sizes.sum():.3f}",
            "source": self.source,
            "note": self.note,
        }


def load(name: str, root: Path) -> Dataset:
    notes = []
    if name in SKLEARN:
        source = "scikit-learn"
        features, target = SKLEARN[name](as_frame=True, return_X_y=True)
    elif name in WEKA:
        source = "weka 3.6.14 (Debian)"
        features = read_arff(root / WEKA_EXAMPLES / f"{name}.arff")
        target = features.pop(features.columns[-1])
    else:
        source = "mlbench 2.1-3 (Debian)"
        file, target_name = MLBENCH[name]
        (features,) = rdata.read_rda(root / MLBENCH_DATA / f"{file}.rda", default_encoding="ascii").values()
        target = features.pop(target_name)
    if name in IDENTIFIERS:
        column, meaning = IDENTIFIERS[name]
        features = features.drop(columns=column)
        notes.append(f"dropped column {column} ({meaning})")
    if name == "supermarket":
        # Its attributes have one value, t, and '?' otherwise: imputation would leave constants.
        features = features.notna()
        notes.append("'?' read as not bought")

    x, nominal = encode(features)
    classes, y = np.unique(target.astype(str), return_inverse=True)
    kept, row_notes = select_rows(y, classes)
    notes += row_notes
    return Dataset(name, x[kept], y[kept], nominal, len(y), source, "; ".join(notes))


def read_arff(path: Path) -> pd.DataFrame:
    """Numeric attributes as floats, nominal ones as categories, '?' as missing."""
    records, meta = arff.loadarff(path)
    frame = pd.DataFrame(records)
    for name in meta.names():
        kind, levels = meta[name]
        if kind == "nominal":
            values = frame[name].str.decode("utf-8")
            frame[name] = pd.Categorical(values.where(values != "?"), categories=levels)
    return frame


def encode(features: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """All columns as floats, and a mask of those that are nominal; ordered levels are ranks."""
    columns, nominal = [], []
    for name in features:
        column = features[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            nominal.append(not column.cat.ordered)
            codes = column.cat.codes
            column = codes.where(codes >= 0)  # -1 is missing
        else:
            nominal.append(False)
        columns.append(column.to_numpy(dtype=float))
    return np.column_stack(columns), np.array(nominal)


def select_rows(y: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """At most `MAX_ROWS` rows, without classes too small for a member in every fold."""
    rows, notes = np.arange(len(y)), []
    if len(rows) > MAX_ROWS:
        rows, _ = train_test_split(rows, train_size=MAX_ROWS, stratify=y, random_state=SEED)
        rows = np.sort(rows)
        notes.append(f"stratified subsample of {MAX_ROWS} rows")
    sizes = np.bincount(y[rows], minlength=len(classes))
    small = np.flatnonzero((sizes > 0) & (sizes < FOLDS))
    if small.size:
        listed = ", ".join(f"{classes[k]} ({sizes[k]})" for k in small)
        notes.append(f"dropped classes with fewer than {FOLDS} rows: {listed}")
    return rows[~np.isin(y[rows], small)], notes


if __name__ == "__main__":
    main()
