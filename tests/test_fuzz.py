"""Files of any content: scores, or an error of ours; in bounded time and memory, never a dependency's own error."""

import gzip
import io
import json
import resource
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
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
    text = "model,dataset,score\n" + "".join(f"m{i % 2},d{i // 2},{i % 97 / 97}\n" for i in range(10**6))
    scores = read(folder, text.encode(), ".csv")
    assert scores.values.shape == (2, 500_000, 1)
    assert scores.values[1, 48, 0] == 0.0  # row 97
