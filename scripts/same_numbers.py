"""The same numbers from every supported set of versions: write them in one environment, compare them with another's.

python scripts/same_numbers.py lowest                     the lowest declared versions, as constraints for pip
python scripts/same_numbers.py write numbers.json         this environment's numbers
python scripts/same_numbers.py compare one.json two.json  exit code 1 where they differ by more than is allowed
"""

import json
import platform
import re
import sys
import tomllib
import warnings
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "pymc", "arviz")
# The largest relative difference that is allowed (absolute below 1). Draws are the same from the same seed; the
# sampler's path ("sampled") may part ways after a rounding error, so that only its Monte-Carlo error is promised.
ALLOWED = {"exact": 1e-9, "quadrature": 1e-6, "draws": 1e-9, "sampled": 0.02}


def lowest() -> list[str]:
    """numpy>=2.2 in pyproject.toml becomes numpy==2.2; the optional packages too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    pairs = (re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)$", line) for line in declared)
    return [f"{m[1]}=={m[2]}" for m in pairs if m]


def numbers() -> dict[str, dict[str, float]]:
    """A few dozen numbers of every family of tests, on the bundled data, by the name of the engine behind them."""
    import bayescmp as bc

    f, labour, domains, uci = bc.frequentist, bc.load_labour(), bc.load_domains(), bc.load_uci()
    pair, many, one = labour.pair("SVM", "DT"), uci.pair("rf", "svm"), domains.pair("A", "C")
    right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]]
    posterior = bc.bayes.correlated_ttest(pair, rope=0.01)
    sign = bc.bayes.sign_test(many, rope=0.01)
    x, y = labour.values[:2, 0, :30]
    exact: dict[str, Any] = {
        "correlated t": [*posterior.probabilities.values(), *posterior.hdi(0.9), posterior.ppf(0.01)],
        "bayes welch": list(bc.bayes.welch_ttest(x, y[:20], rope=0.01).probabilities.values()),
        "bayes sign": [*sign.probabilities.values(), *sign.expected.values()],
        "t-tests": [_test(t(pair)) for t in (f.paired_ttest, f.corrected_ttest)],
        "rxk cv": _test(f.rxk_cv_ttest(many.select("sonar"))),
        "tost": _test(f.tost_ttest(pair, rope=0.1)),
        "5x2": [_test(t(x[:10], y[:10], resampling=bc.Resampling.kfold(2, 5))) for t in (f.cv5x2_ttest, f.cv5x2_ftest)],
        "welch": _test(f.welch_ttest(x, y)),
        "ranks": [_test(t(many)) for t in (f.wilcoxon_test, f.sign_test)],
        "permutation": _test(f.permutation_test(many)),
        "omnibus": [
            _test(t(uci))
            for t in (
                f.friedman_test,
                f.iman_davenport_test,
                f.quade_test,
                f.friedman_aligned_ranks_test,
                f.kruskal_wallis_test,
            )
        ],
        "nemenyi": [list(f.nemenyi_test(domains).p_value), f.nemenyi_test(uci).critical_difference],
        "dunn": list(f.bonferroni_dunn_test(domains, control="A").p_adjusted),
        "pairwise wilcoxon": list(f.pairwise_wilcoxon_test(uci, adjust="bergmann-hommel").p_adjusted),
        "pairwise t": list(f.pairwise_ttest(labour, adjust="hommel").p_adjusted),
        "anova": [_test(f.anova(labour, kind=k)) for k in ("repeated", "one-way")],
        "tukey": [list(t(labour, kind="repeated").p_value) for t in (f.tukey_hsd, f.fisher_lsd)],
        "hotelling": _test(f.hotelling_test(uci.values[0, :3, :20].T, uci.values[1, :3, :20].T)),
        "manova": _test(f.manova({m: uci.values[i, :3, :20].T for i, m in enumerate(uci.models[:3])})),
        "mcnemar": _test(f.mcnemar_test(table=[[50, 12], [5, 10]], orientation="both right first")),
        "cochran": _test(f.cochran_q_test(right)),
        "binomial": [_test(f.binomial_test(12, 40, p0=0.2)), *f.proportion_interval(12, 40)],
        "newcombe": list(f.proportion_difference_interval(56, 70, 48, 80)),
        "effects": [
            [e.value, *(e.interval or ())]
            for e in (
                f.cohens_d(x, y),
                f.hedges_g(x, y),
                f.cohens_dz(x, y),
                f.rank_biserial(one),
                f.cliffs_delta(x, y),
                f.common_language(x, y),
                f.kendalls_w(domains),
            )
        ],
        "intervals": [*f.difference_interval(pair, corrected=True), *f.hodges_lehmann_interval(one)],
        "power": [
            f.power_ttest(effect=0.5, power=0.8).n,
            f.power_ttest(effect=0.5, n=100, resampling=0.1).power,
            f.power_sign_test(p_win=0.8, n=20).power,
            f.power_mcnemar(p_only_a=0.1, p_only_b=0.05, n=200).power,
        ],
    }
    hierarchical = bc.bayes.hierarchical_ttest(many, rope=0.01)
    table = bc.compare(labour, rope=0.01).table(full=True)
    quadrature = {
        "hierarchical": [
            *hierarchical.probabilities.values(),
            *hierarchical.expected.values(),
            *hierarchical.hdi(0.9),
            hierarchical.p_positive,
        ],
        "compare": table[["p_better", "p_value", "p_adjusted"]].to_numpy().ravel().tolist(),
    }
    ranked, signed = (
        bc.bayes.rank_models(uci, rope=0.01, random_seed=1),
        bc.bayes.signed_rank_test(many, rope=0.01, random_seed=1),
    )
    draws = {
        "signed rank": [*signed.probabilities.values(), *signed.expected.values(), *signed.hdi(0.9)],
        "rank models": [*ranked.p_best.values(), *ranked.expected_rank.values()],
        "bootstrap": list(f.bootstrap_interval(many, method="percentile", random_seed=1, resamples=999)),
        "power of Wilcoxon": f.power_wilcoxon(
            effect=0.5, n=20, method="simulation", random_seed=1, simulations=2000
        ).power,
    }
    sampled = {
        "Bradley-Terry": list(bc.bayes.bradley_terry(uci, rope=0.01, random_seed=1).p_best.values()),
        "Plackett-Luce": list(bc.bayes.plackett_luce(uci, random_seed=1).p_best.values()),
    }
    groups = {"exact": exact, "quadrature": quadrature, "draws": draws, "sampled": sampled}
    return {group: _flat(values) for group, values in groups.items()}


def _test(result: Any) -> list[float]:
    return [result.statistic, result.p_value]


def _flat(values: Any, name: str = "") -> dict[str, float]:
    if isinstance(values, dict):
        return {k: v for key, part in values.items() for k, v in _flat(part, key).items()}
    if isinstance(values, list | tuple):
        return {k: v for i, part in enumerate(values) for k, v in _flat(part, f"{name} {i + 1}").items()}
    return {name: float(values)}


def environment() -> str:
    """Python and the packages that numbers depend on."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)])


def compare(one: dict[str, Any], two: dict[str, Any]) -> tuple[dict[str, float], list[str]]:
    """The largest difference of each group, and what differs by more than is allowed."""
    largest, wrong = {}, []
    for group, allowed in ALLOWED.items():
        ours, theirs = one["numbers"][group], two["numbers"][group]
        if ours.keys() != theirs.keys():
            wrong.append(f"{group}: not the same numbers: {sorted(ours.keys() ^ theirs.keys())}")
        gaps = {n: abs(ours[n] - theirs[n]) / max(1.0, abs(ours[n])) for n in ours.keys() & theirs.keys()}
        largest[group] = max(gaps.values())
        wrong += [f"{group}, {n}: {ours[n]!r} and {theirs[n]!r}" for n, gap in gaps.items() if not gap <= allowed]
    return largest, wrong


def main(command: str, *paths: str) -> int:
    if command == "lowest":
        print("\n".join(lowest()))
    elif command == "write":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: dict[str, Any] = {"environment": environment(), "numbers": numbers()}
        Path(paths[0]).write_text(json.dumps(found, indent=1), "utf-8")
        print(f"{sum(map(len, found['numbers'].values()))} numbers: {found['environment']}")
    elif command == "compare":
        first, *others = (json.loads(Path(path).read_text("utf-8")) for path in paths)
        failed = False
        for other in others:
            largest, wrong = compare(first, other)
            print(f"{first['environment']}\n  against {other['environment']}")
            for group, gap in largest.items():
                print(f"  {group:10} {len(first['numbers'][group]):4} numbers, largest difference {gap:.1e}")
            print("\n".join(f"  DIFFERS {line}" for line in wrong) or "  all the same")
            failed |= bool(wrong)
        return int(failed)
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))
