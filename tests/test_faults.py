"""When things fail around us, nothing is lost or half-written; and no data of a user's is ever run as code."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bayescmp as bc
from bayescmp import files


@pytest.fixture
def comparison():
    return bc.compare(bc.load_labour(), rope=0.01)


def run(code, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {k: str(v) for k, v in environment.items()},
    )


@pytest.mark.parametrize("ending", ["html", "md", "tex"])
@pytest.mark.parametrize("fault", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_report(comparison, tmp_path, monkeypatch, ending, fault):
    target = tmp_path / f"report.{ending}"
    target.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((files.os, "fsync", full) if fault == "fsync" else (Path, "replace", full)))
    with pytest.raises(OSError, match="No space left"):
        comparison.report(target, overwrite=True)
    assert target.read_text() == "old"
    assert [f.name for f in tmp_path.iterdir()] == [target.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_standard_output_is_told_in_one_line(tmp_path):
    path = tmp_path / "results.csv"
    bc.load_labour().to_frame().to_csv(path, index=False)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bayescmp", "compare", str(path), "--rope", "0.01"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode not in (0, 130)
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


def test_no_home_no_cache_folder(tmp_path):
    """A home that is not there: numbers come out all the same, with PyTensor's and numba's caches nowhere."""
    code = (
        "import bayescmp as bc; p = bc.load_uci().pair('rf', 'svm');"
        "print(bc.bayes.signed_rank_test(p, rope=0.01, random_seed=1, draws=1000).decision().value);"
        "print(len(bc.compare(bc.load_labour(), rope=0.01).pairs))"
    )
    nowhere = tmp_path / "nowhere"
    done = run(code, HOME=nowhere, XDG_CACHE_HOME=nowhere, XDG_CONFIG_HOME=nowhere, MPLCONFIGDIR=nowhere)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["undecided", "3"]


def test_two_processes_share_a_cache(tmp_path):
    """Both at once on the same pairs: both right, every file whole, no draft left."""
    code = (
        "import sys, bayescmp as bc;"
        "c = bc.compare(bc.load_domains(), rope=1, random_seed=1, cache=sys.argv[1], bayes_options={'draws': 2000});"
        "print([p.p_better for p in c.posteriors])"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    one, two = (process.communicate()[0] for process in both)
    assert one == two
    assert one.startswith("[")
    assert {f.suffix for f in tmp_path.iterdir()} == {".json"}
    for file in tmp_path.iterdir():
        assert json.loads(file.read_text())["key"] == file.stem


def test_interrupted_nuts_says_nothing_false(labour, monkeypatch):
    """Ctrl-C in the sampler ends in KeyboardInterrupt: no result from half a run."""
    pm = pytest.importorskip("pymc")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pm, "sample", interrupted)
    import logging

    level = logging.getLogger("pymc").level
    with pytest.raises(KeyboardInterrupt):
        bc.bayes.correlated_ttest(labour, rope=0.01, engine="nuts", random_seed=1, draws=10, tune=10)
    assert logging.getLogger("pymc").level == level


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_run_that_swallows_ctrl_c_gives_no_result(labour, monkeypatch):
    """PyMC ends a chain at Ctrl-C, and returns what it has or goes on with the next one."""
    pm = pytest.importorskip("pymc")

    def swallow(**_):
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        return "half of the draws"

    monkeypatch.setattr(pm, "sample", swallow)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            bc.bayes.correlated_ttest(labour, rope=0.01, engine="nuts", random_seed=1)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


INTERRUPTED = """
import os, signal, sys
import pymc as pm
sample, left = pm.sample, [int(sys.argv[2])]
def strike(trace, draw):
    left[0] -= 1
    if left[0] == 0:
        print("sampling", flush=True)
        os.kill(os.getpid(), signal.SIGINT)
pm.sample = lambda **options: sample(callback=strike, **options)
from bayescmp.cli import main
options = ["engine=nuts", "tune=100", "draws=1000000", "chains=2", "cores=" + sys.argv[1]]
call = "test correlated-ttest bundled:labour SVM DT --rope 0.01 --seed 1".split()
main(call + [x for option in options for x in ("--set", option)], prog_name="bayescmp")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("draw", [5, 500])
def test_ctrl_c_in_a_nuts_run(cores, draw):
    """A real signal in the tuning and among the draws: one line and 130; before, a result, or the next chain."""
    done = run(INTERRUPTED, cores, draw)
    assert (done.returncode, done.stdout, done.stderr) == (130, "sampling\n", "Interrupted.\n")


# ---- security


def test_a_hostile_cache_is_data_only(tmp_path):
    """The cache is JSON: a pickle or a script in its place is computed anew, never run."""
    scores = bc.load_domains()
    options = {"rope": 1, "random_seed": 1, "cache": tmp_path / "cache", "bayes_options": {"draws": 500}}
    first, marker = bc.compare(scores, **options), tmp_path / "ran"
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(b"cposix\nsystem\n(S'touch " + str(marker).encode() + b"'\ntR.")
    with pytest.warns(RuntimeWarning, match="is damaged"):
        assert bc.compare(scores, **options) == first
    assert not marker.exists()
