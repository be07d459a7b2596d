"""What the time is made of, counted on small fixed inputs: the same on every machine, unlike the time itself.

Bounds are what was counted when they were set, with room for other versions of numpy and scipy.
"""

import subprocess
import sys
import tracemalloc
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special

import bayescmp as bc
from bayescmp.bayes import distributions
from bayescmp.bayes.hierarchical import convolution, quadrature


@pytest.fixture
def random_numbers(monkeypatch):
    """A list of how many random numbers each call to a generator of the signed-rank test gave."""
    drawn, real = [], np.random.Generator

    def counting(bits):
        rng = real(bits)

        def random(size=None, out=None):
            drawn.append(int(np.prod(size)) if out is None else out.size)
            return rng.random(size, out=out)

        def gamma(shape, size):
            drawn.append(int(np.prod(size)))
            return rng.standard_gamma(shape, size)

        return SimpleNamespace(random=random, standard_gamma=gamma)

    monkeypatch.setattr(np.random, "Generator", counting)
    return drawn


def table(models, datasets, folds=None):
    rng = np.random.default_rng(datasets)
    level = rng.uniform(0.6, 0.9, (datasets, 1))
    effects = rng.normal(0, 0.02, (models, datasets, 1)) * np.where(rng.uniform(size=(datasets, 1)) < 0.1, 4, 1)
    values = level + effects + (rng.normal(0, 0.03, (models, datasets, folds)) if folds else 0)
    design = {"resampling": bc.Resampling.kfold(10, repeats=folds // 10)} if folds else {"datasets": datasets}
    arrays = {f"m{i}": x if folds else x[:, 0] for i, x in enumerate(values)}
    return bc.Scores.from_arrays(arrays, metric="accuracy", **design)


def test_importing_loads_little_more_than_numpy():
    """Scores have 31 modules more than numpy's own, 15 of them of the package; the name of the package has none."""
    code = "import sys; {}; print(len(sys.modules), sum(m.startswith('bayescmp') for m in sys.modules))"
    counts = [
        subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=True).stdout
        for name in ("import numpy", "from bayescmp import Scores", "import bayescmp")
    ]
    (numpy, _), (ours, own), (_, name) = (map(int, x.split()) for x in counts)
    assert ours - numpy <= 36
    assert own <= 17
    assert name == 1


def test_one_signed_rank_test_draws_no_more_random_numbers_than_it_needs(random_numbers):
    """A number for two weights of each dataset, one for the prior's and one for T, in groups of 10 draws."""
    pair = table(2, 54).pair("m0", "m1")
    assert bc.bayes.signed_rank_test(pair, rope=0.01, random_seed=1, draws=20_000).p_better >= 0
    groups = -(-20_000 // (10 * 512)) * 512
    assert sum(random_numbers) == (54 / 2 + 2) * groups


@pytest.mark.skipif(sys.platform != "linux", reason="counts page faults as Linux does")
def test_one_signed_rank_test_uses_its_memory_again():
    """Pages of memory that the system hands out for a call: 10,300 where every block of draws asks for its own."""
    code = (
        "import resource, numpy as np, bayescmp as bc; d = np.random.default_rng(1).normal(0, 0.03, 500);"
        "call = lambda: bc.bayes.signed_rank_test(d, 0 * d, rope=0.01, random_seed=1).p_better;"
        "pages = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt; call();"
        "before = pages(); [call() for _ in range(5)]; print((pages() - before) // 5)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 2_000


def test_signed_rank_tests_of_many_pairs_work_in_the_memory_of_one():
    """The answers of 190 pairs; each pair's own prefix sums would take 1.6 MB."""
    scores = table(20, 200)
    pairs = [scores.pair(a, b) for a, b in combinations(scores.models, 2)]
    bc.bayes.signed_rank_tests(pairs[:2], rope=0.01, random_seed=1, draws=1000)
    tracemalloc.start()
    found = bc.bayes.signed_rank_tests(pairs, rope=0.01, random_seed=1, draws=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 190
    assert peak < 2**25


def test_all_pairs_of_a_comparison_share_their_random_numbers(random_numbers):
    bc.compare(table(6, 30), rope=0.01, random_seed=1, bayes_options={"draws": 2_000}, n_jobs=1)
    assert sum(random_numbers) == (30 / 2 + 2) * 512


@pytest.fixture
def hierarchical_work(monkeypatch):
    """Points of the likelihood, tables of convolutions, and values of Student's distribution function."""
    work = {"likelihood": 0, "tables": 0, "student": 0}
    likelihood, tables = quadrature.log_likelihood, convolution._log_convolutions

    def count_likelihood(means, scales, df, nus, log_sigma, delta):
        work["likelihood"] += means.size * nus.size * log_sigma.size * delta.size
        return likelihood(means, scales, df, nus, log_sigma, delta)

    def count_tables(df, nus, v, u):
        work["tables"] += len(nus) * v.size * u.size
        return tables(df, nus, v, u)

    def stdtr(df, x):
        work["student"] += np.broadcast(df, x).size
        return special.stdtr(df, x)

    class Special:
        def __getattr__(self, name):
            return stdtr if name == "stdtr" else getattr(special, name)

    monkeypatch.setattr(quadrature, "log_likelihood", count_likelihood)
    monkeypatch.setattr(convolution, "_log_convolutions", count_tables)
    monkeypatch.setattr(convolution, "_TABLES", {})
    monkeypatch.setattr(convolution, "_BLOCKS", {})
    for step in ("STEP_U", "STEP_V"):  # coarser tables, to count as much in less time
        monkeypatch.setattr(convolution, step, 2 * getattr(convolution, step))
    for module in (quadrature, distributions):
        monkeypatch.setattr(module, "special", Special())
    return work


def test_hierarchical_work_is_bounded_and_linear(hierarchical_work):
    """The first pair makes the tables, the next ones find them, and more datasets need no more points each."""
    found = []
    for datasets in (50, 50, 200):
        hierarchical_work.update(dict.fromkeys(hierarchical_work, 0))
        assert bc.bayes.hierarchical_ttest(table(2, datasets, 20).pair("m0", "m1"), rope=0.01).p_better >= 0
        found.append(dict(hierarchical_work))
    first, again, more = found
    assert first["tables"] <= 40_000  # 26,880 were counted
    assert again["tables"] == 0
    assert first["likelihood"] == again["likelihood"] <= 5_000_000  # 3,348,350
    assert more["likelihood"] / 200 <= 1.5 * first["likelihood"] / 50
    assert max(x["student"] for x in found) <= 160_000  # 105,342


@pytest.mark.parametrize(("what", "most"), [("correlated_ttest", 3), ("sign_test", 30), ("mcnemar_test", 5)])
def test_python_calls_for_one_more_pair(what, most):
    """Of the package's own functions, in compare() where all pairs are answered at once.

    1.1, 25 and 3.3 were counted; the sign test has an integral for each pair of other counts.
    """

    def study(models):
        if what == "mcnemar_test":
            right = np.random.default_rng(models).integers(0, 2, (models, 60))
            arrays = {f"m{i}": x for i, x in enumerate(right.astype(float))}
            return bc.Scores.from_arrays(arrays, metric="accuracy", resampling=bc.Resampling.items())
        return table(models, 1, folds=10) if what == "correlated_ttest" else table(models, 30)

    def calls(models):
        scores, count = study(models), 0

        def profile(frame, event, _):
            nonlocal count
            count += event == "call" and "bayescmp" in frame.f_globals.get("__name__", "")

        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            bc.compare(scores, rope=0.01, bayes=what, n_jobs=1)
        finally:
            sys.setprofile(before)
        return count

    calls(3)
    assert (calls(10) - calls(5)) / (45 - 10) <= most
