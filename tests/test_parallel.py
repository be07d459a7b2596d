"""Many pairs on many workers: the same numbers, nothing lost, resumable; on a real Dask cluster as well."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest

import bayescmp as bc
from bayescmp import catalogue, progress
from bayescmp.comparison import run
from bayescmp.comparison.run import Job, run_pairs


@pytest.fixture
def scores(rng):
    return bc.Scores.from_arrays(
        {f"m{i}": rng.normal(0.8 + i / 100, 0.03, 12) for i in range(5)}, metric="accuracy", datasets=12
    )


def chunked(monkeypatch, name, pairs):
    """The test with so many pairs per task."""
    entry = replace(catalogue.find(name, "bayes"), pairs_per_task=pairs)
    monkeypatch.setitem(catalogue._TESTS, ("bayes", name), entry)


def SIGN():
    return catalogue.find("sign_test", "bayes")


def few_folds(k=4):
    return bc.load_uci().select(
        models=["nb", "lr", "rf", "svm", "knn"][:k], datasets=["sonar", "glass", "vehicle", "vowel", "wdbc"]
    )


@pytest.mark.parametrize("bayes", ["signed_rank_test", "hierarchical_ttest"])
def test_any_number_of_workers_gives_the_same(bayes):
    scores = few_folds(3)
    options = {"rope": 0.01, "bayes": bayes, "random_seed": 1}
    alone = bc.compare(scores, **options)
    assert bc.compare(scores, n_jobs=2, **options) == alone


@pytest.mark.parametrize("bayes", ["signed_rank_test", "hierarchical_ttest"])
def test_threads_give_the_same_and_leave_blas_as_it_was(bayes, monkeypatch):
    """The compiled loop in two threads at once, which both ask for one thread of BLAS and end in any order."""
    import joblib
    from threadpoolctl import threadpool_info, threadpool_limits

    monkeypatch.setattr("bayescmp.bayes.signed_rank.LEAST_WORK", 0)
    chunked(monkeypatch, bayes, 1)
    scores, options = few_folds(4), {"rope": 0.01, "bayes": bayes, "random_seed": 1}
    alone = bc.compare(scores, n_jobs=1, **options)
    with threadpool_limits(2, user_api="blas"):
        before = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        with joblib.parallel_config(backend="threading", n_jobs=2):
            assert bc.compare(scores, **options) == alone
        assert [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"] == before


def test_workers_of_a_test_that_releases_the_lock_are_threads(monkeypatch):
    """They start at once: every task runs in this process, and in another thread than the one that asks."""
    ran, work = [], run.work

    def recorded(*task):
        ran.append((os.getpid(), threading.get_ident()))
        return work(*task)

    monkeypatch.setattr(run, "work", recorded)
    scores, options = few_folds(4), {"rope": 0.01, "bayes": "signed_rank_test", "random_seed": 1}
    alone = bc.compare(scores, n_jobs=1, **options)
    assert ran == [(os.getpid(), threading.get_ident())]
    assert bc.compare(scores, n_jobs=2, **options) == alone
    assert len(ran) == 3
    assert {pid for pid, _ in ran} == {os.getpid()}
    assert threading.get_ident() not in {thread for _, thread in ran[1:]}


def test_threads_keep_the_warnings_of_their_pairs_apart(monkeypatch):
    """Each pair warns of itself, and the filters of the process are as before."""
    chunked(monkeypatch, "signed_rank_test", 1)
    job = Job(catalogue.find("signed_rank_test", "bayes"), 0.01, random_seed=1)

    def posterior(self, pair):
        warnings.warn(f"{pair.a} vs {pair.b}", UserWarning, stacklevel=1)
        return bc.bayes.signed_rank_test(pair, rope=0.01, draws=1000, random_seed=1)

    monkeypatch.setattr(Job, "posterior", posterior)
    names, before = list(combinations(few_folds(5).models, 2)), list(warnings.filters)
    found = run_pairs(few_folds(5), names, job, n_jobs=4)
    assert [caught for _, caught in found] == [[("UserWarning", f"{a} vs {b}")] for a, b in names]
    assert warnings.filters == before


def test_chunks_share_work_without_changing_it(scores, monkeypatch):
    together = bc.compare(scores, rope=0.01, random_seed=1)
    chunked(monkeypatch, "signed_rank_test", 3)
    assert bc.compare(scores, rope=0.01, random_seed=1) == together


def test_finished_pairs_are_not_computed_again(scores, tmp_path, monkeypatch):
    first = bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path / "cache")
    files = list((tmp_path / "cache").iterdir())
    assert len(files) == 10
    assert all(f.suffix == ".json" for f in files)  # no drafts left

    def nothing(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr(run, "work", nothing)
    assert bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path / "cache") == first
    for change in ({"rope": 0.02}, {"random_seed": 2}, {"bayes": "sign_test"}, {"bayes_options": {"prior": 1.0}}):
        with pytest.raises(AssertionError, match="computed again"):
            bc.compare(scores, **{"rope": 0.01, "random_seed": 1, "cache": tmp_path / "cache"} | change)
    with pytest.raises(AssertionError, match="computed again"):
        bc.compare(scores.rename({"m0": "other"}), rope=0.01, random_seed=1, cache=tmp_path / "cache")


def test_a_rerun_without_a_seed_finds_its_pairs(scores, tmp_path):
    first = bc.compare(scores, rope=0.01, cache=tmp_path)
    assert bc.compare(scores, rope=0.01, cache=tmp_path) == first
    assert len(list(tmp_path.iterdir())) == 10


def test_a_spoilt_file_is_computed_again(scores, tmp_path):
    first = bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path)
    files = sorted(tmp_path.iterdir())
    files[0].write_text("{half a fi")
    files[1].write_text('{"key": "of another", "posterior": {}}')
    files[2].write_bytes(b"\xff\xfe")
    files[3].unlink()
    kept = json.loads(files[4].read_text())
    answer = next(iter(kept["posterior"]["kept"].values()))
    answer["probabilities"] = [7, 0, 0]
    files[4].write_text(json.dumps(kept))
    files[5].write_text(json.dumps({"key": files[5].stem, "posterior": {"kind": "RegionPosterior"}, "warnings": []}))
    other = json.loads(files[7].read_text())
    files[6].write_text(json.dumps(other | {"key": files[6].stem}))  # another pair's answer under this name
    files[8].write_text("[" * 100_000)
    with pytest.warns(RuntimeWarning, match="is damaged, so that its pair is computed again") as caught:
        assert bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path) == first
    assert len(caught) == 7
    assert json.loads(files[0].read_text())["key"] == files[0].stem


def test_an_interrupted_run_goes_on_where_it_stopped(scores, tmp_path, monkeypatch):
    chunked(monkeypatch, "signed_rank_test", 2)
    whole, calls = run.work, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(run, "work", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 6
    resumed = bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path)
    assert len(calls) == 4 + 2  # 4 pairs were left
    assert resumed == bc.compare(scores, rope=0.01, random_seed=1)


def test_a_killed_process_loses_nothing_that_was_finished(tmp_path):
    """SIGKILL while the hierarchical pairs are running; the rerun computes only what is missing."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); import bayescmp as bc; from test_parallel import few_folds;"
        "bc.compare(few_folds(5), rope=0.01, cache=sys.argv[1])"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(Path(__file__).parent)])
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("*.json"))) < 2 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = {f: f.stat().st_mtime_ns for f in tmp_path.glob("*.json")}
    assert len(kept) >= 2
    c = bc.compare(few_folds(5), rope=0.01, cache=tmp_path)
    assert len(c.pairs) == 10
    assert {f: f.stat().st_mtime_ns for f in kept} == kept


def test_a_cache_that_cannot_be_written(scores, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="`cache` must be a folder"):
        bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path / "file" / "cache")

    def full(self, *_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.warns(RuntimeWarning, match="could not be kept .* No space left"):
        c = bc.compare(scores, rope=0.01, random_seed=1, cache=tmp_path / "cache")
    assert len(c.table()) == 10
    assert not list((tmp_path / "cache").iterdir())


@dataclass(frozen=True)
class Deadly(Job):
    """Kills any process but the one that made it, on the third pair."""

    home: int = 0

    def posterior(self, pair):
        if os.getpid() != self.home and pair.b == "m3":
            os._exit(1)
        return super().posterior(pair)


def test_where_a_worker_dies_the_rest_is_done_at_home(scores, monkeypatch):
    chunked(monkeypatch, "sign_test", 1)
    names = list(combinations(scores.models, 2))
    with pytest.warns(RuntimeWarning, match="A worker process died"):
        rows = run_pairs(scores, names, Deadly(SIGN(), 0.01, home=os.getpid()), n_jobs=2)
    assert rows == run_pairs(scores, names, Job(SIGN(), 0.01), n_jobs=1)


def test_progress_is_shown_on_request(scores, capsys):
    bc.compare(scores, rope=0.01, random_seed=1, progress=True)
    assert "pairs" in capsys.readouterr().err
    bc.compare(scores, rope=0.01, random_seed=1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("silence", "shown"), [(0.01, True), (60, False)])
def test_progress_appears_after_a_while_where_a_person_looks_on(silence, shown, capsys, monkeypatch):
    """Also while the first part is at work, by another thread; bars within it are not shown."""
    monkeypatch.setattr(progress, "SECONDS", silence)
    monkeypatch.setenv("FORCE_COLOR", "1")  # as at a terminal
    monkeypatch.setattr(progress, "_watched", lambda: True)
    with progress.progress_bar(2, 0, "report, parts", None) as advance:
        with progress.progress_bar(9, 0, "inner sweeps", None):
            time.sleep(0.5)
        advance(1)
    said = capsys.readouterr().err
    assert ("report, parts" in said) is shown
    assert "inner sweeps" not in said


LONG_WORK = {
    "hierarchical correlated t-test, ropes": lambda c: c.posteriors[0].at_ropes([0.011, 0.012]),
    "hierarchical correlated t-test, pairs": lambda c: c.rope_curve([0.013, 0.014]),
    "signed-rank test, draws": lambda c: bc.bayes.signed_rank_test(c.scores.pair("rf", "svm"), rope=0.01).p_better,
    "simulated studies": lambda c: bc.planning.design(
        "signed_rank_test", truth={"mean": 0.01, "sd": 0.02}, rope=0.01, n=5, simulations=10, draws=1000
    ),
    "plan, numbers of datasets": lambda c: c.plan(pairs=[("rf", "svm")], more=[3, 4], simulations=10),
}


@pytest.mark.parametrize("what", LONG_WORK)
def test_a_single_call_that_takes_long_shows_its_progress(what, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "_watched", lambda: True)
    scores = bc.load_uci().select(models=["rf", "svm", "nb"])
    one, other = (bc.compare(scores, rope=0.01, progress=False) for _ in range(2))  # what was answered is remembered
    capsys.readouterr()
    monkeypatch.setattr(progress, "Timer", lambda seconds, show: SimpleNamespace(start=show, cancel=lambda: None))
    LONG_WORK[what](one)
    assert what in capsys.readouterr().err
    with progress.progress_bar(2, 0, "", False):  # nothing within work whose bar is not wanted
        LONG_WORK[what](other)
    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("ignore")
def test_dask_cluster_with_a_worker_that_dies(scores, tmp_path):
    """The same call under joblib's Dask backend, on two worker processes; one of them is killed mid-way."""
    distributed = pytest.importorskip("distributed")
    joblib = pytest.importorskip("joblib")
    names = list(combinations(scores.models, 2))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        with joblib.parallel_config(backend="dask"):
            spread = bc.compare(scores, rope=0.01, random_seed=1)
            one_dies = Suicidal(SIGN(), 0.01, marker=str(tmp_path / "died"), home=os.getpid())
            rows = run_pairs(scores, names, one_dies)
    assert spread == bc.compare(scores, rope=0.01, random_seed=1)
    assert (tmp_path / "died").exists()
    assert rows == run_pairs(scores, names, Job(SIGN(), 0.01))


@dataclass(frozen=True)
class Suicidal(Job):
    """The first worker that comes to the third pair dies, once."""

    marker: str = ""
    home: int = 0

    def posterior(self, pair):
        if os.getpid() != self.home and pair.b == "m3" and not Path(self.marker).exists():
            Path(self.marker).write_text("")
            os._exit(1)
        time.sleep(0.05)
        return super().posterior(pair)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.slow
def test_memory_is_bounded_for_many_pairs():
    """60 models x 1,000 datasets, 1,770 pairs in a process of its own: the rows are small, the pairs are not kept."""
    code = (
        "import bayescmp as bc, numpy as np; rng = np.random.default_rng(1);"
        "s = bc.Scores.from_arrays({f'm{i}': rng.normal(0.8, 0.03, 1000) for i in range(60)},"
        "datasets=1000, higher_is_better=True);"
        "c = bc.compare(s, rope=0.01, random_seed=1, bayes_options={'draws': 1000});"
        "assert len(c.posteriors) == 1770;"
        "print(int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 600, "MB"
