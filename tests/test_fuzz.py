"""Files of any content and calls with any arguments: a sound result, or an error of ours, never a dependency's own."""

import gzip
import inspect
import io
import json
import resource
import subprocess
import sys
import warnings
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from calls import (
    ARGUMENTS,
    FREE,
    JUNK,
    OURS,
    Accepted,
    accepted,
    is_ours,
    numbers,
    numbers_by_name,
    other_calls,
    public_functions,
)
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import Resampling
from bayescmp.scores import files, frames

GOOD = "model,dataset,fold,score\n" + "".join(
    f"{m},d{j},{k},{0.1 * k + 0.01 * j}\n" for m in ("a", "b") for j in range(3) for k in range(1, 4)
)
ENDINGS = tuple(files.ENDINGS)


def read(folder, content, ending):
    """The scores, or the text of our error; any other error goes through and fails the test."""
    path = folder / f"results{ending}"
    path.write_bytes(content)
    try:
        return bc.read_scores(path, higher_is_better=True)
    except bc.ScoresError as error:
        return str(error)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("ending", ENDINGS)
@given(content=st.binary(min_size=1, max_size=300))
def test_random_bytes(folder, ending, content):
    assert isinstance(read(folder, content, ending), (str, bc.Scores))


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt"])
@given(text=st.text("abmodelscr,;\t\"'\n 0123456789.-eE_\0", min_size=1, max_size=200))
def test_almost_tables(folder, ending, text):
    assert isinstance(read(folder, text.encode(), ending), (str, bc.Scores))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["model", "score", "fold", ""]), x, max_size=3),
    max_leaves=8,
)


@given(data=values | st.lists(st.fixed_dictionaries({"model": values, "score": values}), max_size=4))
def test_any_json(folder, data):
    assert isinstance(read(folder, json.dumps(data).encode(), ".json"), (str, bc.Scores))


def test_truncated_at_every_byte(folder):
    """A cut-off csv is refused or holds the rows before the cut: no row is invented."""
    whole = read(folder, GOOD.encode(), ".csv").values
    for end in range(1, len(GOOD), 5):
        found = read(folder, GOOD[:end].encode(), ".csv")
        if isinstance(found, bc.Scores):
            assert np.isfinite(found.values).sum() <= np.isfinite(whole).sum()


@given(places=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1, max_size=6))
def test_damaged_parquet(folder, places):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    sink = io.BytesIO()
    pq.write_table(pa.table({"model": ["a", "b"] * 20, "dataset": [f"d{i // 2}" for i in range(40)],
                             "score": np.arange(40) / 40}), sink)  # fmt: skip
    content = bytearray(sink.getvalue())
    for place, byte in places:
        content[int(place * len(content))] = byte
    assert isinstance(read(folder, bytes(content), ".parquet"), (str, bc.Scores))


def test_a_parquet_name_that_is_no_text(folder):
    """pyarrow reads it, and pandas fails on it only later."""
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    offsets = pa.py_buffer(np.array([0, 1, 2], dtype=np.int32))
    names = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"a\xff"))
    sink = io.BytesIO()
    pq.write_table(pa.table({"model": ["a", "b"], "dataset": names, "score": [0.5, 0.6]}), sink)
    assert "is not a parquet file that can be read" in read(folder, sink.getvalue(), ".parquet")


HOSTILE = {
    "utf-16": (GOOD.encode("utf-16"), ".csv", "UTF-8"),
    "latin-1 below utf-8": (GOOD.encode() + "é,d,1,0.5\n".encode("latin-1"), ".csv", "UTF-8"),
    "gzip as csv": (gzip.compress(b"a" * 10**6), ".csv", "UTF-8"),
    "gzip": (gzip.compress(b"a" * 10**6), ".csv.gz", "must end in"),
    "a field of 5 MB": (b"model,score\n" + b"a" * 5_000_000 + b",1\nb,2\n", ".csv", "cannot be read as csv"),
    "an open quote": (b'model,score\n"' + b"a\n" * 200_000, ".csv", "cannot be read as csv"),
    "100,000 digits": (b"model,score\na," + b"9" * 100_000 + b"\nb,2\n", ".csv", "infinite"),
    "10,000 digits in JSON": (b'[{"model":"a","score":' + b"9" * 10_000 + b"}]", ".json", "is not JSON"),
    "deep JSON": (b"[" * 100_000, ".json", "is not JSON"),
    "deep objects": (b'{"a":' * 200_000, ".json", "is not JSON"),
    "50,000 headers of one name": (b"c," * 50_000 + b"c\n" + b"1," * 50_000 + b"1\n", ".csv", '"c" twice'),
    "50,000 commas": ((b"," * 50_000 + b"\n") * 10, ".csv", "no rows"),
}


@pytest.mark.parametrize(("content", "ending", "word"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files(folder, content, ending, word):
    found = read(folder, content, ending)
    assert word in found
    assert len(found) < 400  # and does not print the file


def test_more_cells_than_memory(folder):
    """100,000 models on a dataset each: a table of 10^10 cells of which 10^5 are filled."""
    n = 100_000
    text = "model,dataset,score\n" + "".join(f"m{i},d{i},0.5\n" for i in range(n))
    assert "too many cells" in read(folder, text.encode(), ".csv")
    assert n * n > frames.MOST_CELLS


def test_parquet_bomb_is_not_unpacked(tmp_path):
    """A file of a megabyte with twice as many rows as are read: refused in a process that may not use 3 GB."""
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    n, path = 2 * files.MOST_ROWS, tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"model": pa.nulls(n), "score": pa.nulls(n)}), path, compression="zstd")
    assert path.stat().st_size < 10**6
    code = "import sys, bayescmp as bc\ntry: bc.read_scores(sys.argv[1])\nexcept bc.ScoresError as e: print(e)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30)),
    )
    assert "20,000,000 rows" in done.stdout


@pytest.mark.slow
def test_a_million_rows(folder):
    text = "model,dataset,score\n" + "".join(f"m{i % 2},d{i // 2},{7919 * i % 10**6 / 10**6}\n" for i in range(10**6))
    scores = read(folder, text.encode(), ".csv")
    assert scores.values.shape == (2, 500_000, 1)
    assert scores.values[1, 48, 0] == 0.768143  # row 97


# ---- calls

WORDS = (
    "two-sided greater less wilcox pratt zsplit holm bonferroni hochberg bh none exact draws nuts collapsed log logit "
    "relative score accuracy rmse corani2017 best m0 m1 d0 a b A dataset points density one-way repeated better spread"
).split()
OPTIONS = [
    *WORDS, True, False, None, 0, 1, 2, 3, 10, 64, 0.0, 0.01, 0.5, 0.95, 0.999999, 1e-300, (-0.01, 0.02), (0, 0.5),
    {"d0": 0.1}, {"dataset": 1}, ["m0", "m1"], [0.0, 0.1], ("m0", "m1"), Resampling.kfold(5, 2), Resampling.kfold(10),
    Resampling.independent(), Resampling.bootstrap(40, 10), Resampling.blocked(11, warm_up=1), bc.Rope(-1, 2),
]  # fmt: skip
NUMBERS = [
    lambda x: -x, lambda x: 0 * x, lambda x: x + 0.5, lambda x: x * 1e-310, lambda x: x * 1e300, lambda x: x + 1,
    np.float32, np.float64, np.longdouble, Decimal, Fraction, str, bool, complex, lambda x: [x], np.array,
]  # fmt: skip
ARRAYS = [
    lambda x, i: np.where(np.arange(x.size).reshape(x.shape) == i, np.nan, x),
    lambda x, i: np.where(np.arange(x.size).reshape(x.shape) == i, np.inf, x),
    lambda x, i: np.where(np.arange(x.size).reshape(x.shape) == i, 1e300, x),
    lambda x, i: np.full_like(x, 0.5),
    lambda x, i: np.zeros_like(x),
    lambda x, i: x * 1e308,
    lambda x, i: x * 1e300,
    lambda x, i: x * 1e-310,
    lambda x, i: x + 1e16,
    lambda x, i: np.round(x, 1),
    lambda x, i: x > np.median(x),
    lambda x, i: x[: i % 4],
    lambda x, i: x[::-1],
    lambda x, i: np.concatenate([x, x]),
    lambda x, i: x[None],
    lambda x, i: x[..., None],
    lambda x, i: x.T,
    lambda x, i: x.astype(str),
    lambda x, i: x.astype(object),
    lambda x, i: x.astype(np.float16),
    lambda x, i: x.astype(complex),
    lambda x, i: (x * 100).astype(int),
    lambda x, i: np.ma.masked_array(x, x == x.flat[i % x.size]),
    lambda x, i: x.tolist(),
    lambda x, i: [*x.tolist(), None],
    lambda x, i: [[x.flat[0]], x.tolist()],
    lambda x, i: iter(x),
    lambda x, i: {"a": x, "b": x},
    lambda x, i: pd.Series(x.ravel(), index=np.roll(np.arange(x.size), i)),
    lambda x, i: pd.DataFrame(np.atleast_2d(x)),
]
NAMES = ["", " ", "m0", "\x1b[31m", "a" * 300, "${x}_1", "<b>", "rf, svm", "\n", "ä", "1"]


def scores_like(scores, rng):
    """The same table with other values, names, a scale, fewer datasets, or holes."""
    values = np.array(scores.values)
    change = rng.integers(7)
    if change == 0:
        values = ARRAYS[rng.integers(12)](values, int(rng.integers(values.size)))
    if change == 1:
        values[rng.integers(len(scores.models)), rng.integers(len(scores.datasets))] = np.nan
    if change == 2:
        return scores.rename({scores.models[0]: NAMES[rng.integers(len(NAMES))]})
    if change == 3:
        return scores.transform(("log", "logit", "relative")[rng.integers(3)])
    if change == 4:
        return scores.select(datasets=scores.datasets[: 1 + rng.integers(3)])
    if change == 5:
        return scores.select(models=scores.models[: 1 + rng.integers(3)])
    return replace(scores, values=values, higher_is_better=bool(rng.integers(2)))


def changed(value, rng):
    """Something else in place of a value, more or less like it."""
    kind = rng.random()
    if kind < 0.15:
        return JUNK[rng.integers(len(JUNK))]
    if kind < 0.25:
        return OPTIONS[rng.integers(len(OPTIONS))]
    if isinstance(value, (int, float, np.number)):
        return NUMBERS[rng.integers(len(NUMBERS))](value)
    if isinstance(value, (list, np.ndarray)) and np.asarray(value, dtype=object).size and not hasattr(value[0], "a"):
        array = np.asarray(value, dtype=float)
        return ARRAYS[rng.integers(len(ARRAYS))](array, int(rng.integers(array.size)))
    if isinstance(value, dict) and value:
        key = list(value)[rng.integers(len(value))]
        if kind < 0.4:
            return {k: x for k, x in value.items() if k != key}
        return value | ({"other": value[key]} if kind < 0.5 else {key: changed(value[key], rng)})
    if isinstance(value, bc.Scores):
        return scores_like(value, rng)
    if isinstance(value, bc.scores.Pair):
        return value.swap() if kind < 0.6 else value.select(value.datasets[0])
    return OPTIONS[rng.integers(len(OPTIONS))]


def fuzzed(function, fitting, rng):
    """Arguments of one call: one to three of those that fit are changed, or added."""
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD and p.name not in FREE]
    found = dict(fitting)
    for name in rng.choice(names, min(len(names), int(rng.integers(1, 4))), replace=False):
        found[str(name)] = changed(found.get(str(name)), rng)
    return found


def check_sound(name, result):
    """Every probability in [0, 1], those that belong together with the sum 1; what prints can be printed."""
    repr(result)
    for one in result if isinstance(result, list) else [result]:
        for label, x in (numbers(one) | numbers_by_name(one)).items():
            if label.startswith(("p_", "share", "probability")):
                assert 0 <= x <= 1, f"{label} = {x}"
        for posterior in getattr(one, "posteriors", [one]):
            if isinstance(posterior, bc.bayes.Posterior):
                assert abs(sum(posterior.three) - 1) < 1e-9, posterior.three
                if isinstance(posterior, bc.bayes.RegionPosterior):
                    assert abs(sum(posterior.expected.values()) - 1) < 1e-9, posterior.expected
                low, high = posterior.hdi() if getattr(posterior, "mean", None) is not None else (0, 0)
                assert low <= high
        if isinstance(one, bc.bayes.RankingPosterior):
            assert abs(sum(one.p_best.values()) - 1) < 1e-9, one.p_best
        if isinstance(one, pd.DataFrame):
            for column in one.columns[[str(c).startswith("p_") for c in one.columns]]:
                assert one[column].dropna().between(0, 1).all(), one[column]
    if name.endswith((".cdf", ".sf")):
        shares = np.asarray(result)
        assert ((shares >= 0) & (shares <= 1)).all(), shares


SLOW = ("bayes.bradley_terry", "bayes.hierarchical_ttest", "bayes.plackett_luce", "compare")


def complaints(n, seed):
    """What is wrong with n calls: foreign errors, and results that are not sound."""
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(seed)
    calls = {name: (function, ARGUMENTS[name]) for name, function in public_functions().items()} | other_calls()
    weights = np.array([0.05 if name in SLOW else 0.2 if "plot" in name else 1.0 for name in calls])
    for i, name in enumerate(rng.choice(list(calls), n, p=weights / weights.sum())):
        function, fitting = calls[name]
        with warnings.catch_warnings():
            for category in (*OURS, bc.MissingWarning, bc.ConvergenceWarning):
                warnings.simplefilter("ignore", category)
            try:
                with np.errstate(all="ignore"):
                    arguments = fuzzed(function, fitting, rng)
            except (ValueError, OverflowError, TypeError, ArithmeticError):  # there is no such value
                continue
            try:
                check_sound(name, function(**arguments))
            except Accepted:
                continue
            except Exception as error:
                if not is_ours(error):
                    new = {key: x for key, x in arguments.items() if x is not fitting.get(key, Accepted)}
                    yield f"{error!r} from call {i} of seed {seed}, {name} with {new}"
            finally:
                plt.close("all")


@pytest.fixture
def no_pymc(monkeypatch, tmp_path):
    monkeypatch.setattr("bayescmp._compat.import_pymc", accepted)
    monkeypatch.chdir(tmp_path)


def test_calls_with_any_arguments(no_pymc):
    assert not list(complaints(300, seed=0))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 51))
def test_fifty_thousand_calls_with_any_arguments(no_pymc, seed):
    assert not list(complaints(1000, seed))
