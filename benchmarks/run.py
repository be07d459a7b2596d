"""Every benchmark beside its peers and beside version 0.1.0, each in a process of its own: docs/benchmarks.md.

Run as `make bench`, or `python benchmarks/run.py [name ...]` for some of them, which prints and writes nothing.
"""

import importlib
import json
import os
import platform
import subprocess
import sys
import tarfile
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import _page
from _timing import exponent, peak_memory, ratios, share_of_limit

NAMES = ("cold_start", "correlated_t", "signed_rank", "hierarchical", "frequentist", "compare", "reports", "large_csv")
KINDS = ("cases", "growths", "limits")
PACKAGES = ("bayescmp", "numpy", "scipy", "pandas", "pymc", "numba")
PEERS = ("baycomp", "autorank", "scikit-posthocs", "pingouin", "statsmodels", "bayes-testkit", "pystan")
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MINUTES = 15
FIRST = "28687c70fdf5"
"""The last commit of version 0.1.0."""
MINUTES_OF_FIRST = 1


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--one"]:
        print(json.dumps(one(*arguments[1:])))
        return 0
    if unknown := set(arguments) - set(NAMES):
        print(f"Names of benchmarks are {', '.join(NAMES)}; got {', '.join(unknown)}.", file=sys.stderr)
        return 2
    start, (load, *_) = perf_counter(), os.getloadavg()
    with TemporaryDirectory() as folder:
        first = Path(folder) if export(FIRST, folder) else None
        found = {name: every(name, first) for name in arguments or NAMES}
    import cold_start

    about = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine(),
        "load": load,
        "versions": versions(),
        "modules": cold_start.modules(),
        "minutes": (perf_counter() - start) / 60,
    }
    path = DOCS / "benchmarks.md"
    page, failed = _page.page(found, about)
    print(page)
    if not arguments:
        path.write_text(page, encoding="utf-8")
    return 1 if failed else 0


def export(revision: str, folder: str) -> bool:
    """Put the package as it was into a folder; False where there is no history, or it does not go back so far."""
    done = subprocess.run(["git", "-C", str(ROOT), "archive", revision, "bayescmp"], capture_output=True, check=False)
    if done.returncode:
        print(done.stderr.decode(), file=sys.stderr)
        return False
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return True


def every(name: str, first: Path | None) -> dict[str, list[dict[str, Any]]]:
    """All results of one module, and the time that the `first` version takes."""
    module = importlib.import_module(name)
    found: dict[str, list[dict[str, Any]]] = {}
    for kind in KINDS:
        found[kind] = []
        for i, item in enumerate(getattr(module, kind)() if hasattr(module, kind) else []):
            print(f"{name}: {item.what}", file=sys.stderr, flush=True)
            result = fresh(name, kind, str(i), "time")
            if kind == "cases" and not item.once:
                sides = {"": "ours", **{peer: peer for peer in item.peers if peer not in result.get("missing", [peer])}}
                result["memory"] = {k: fresh(name, kind, str(i), side).get("megabytes") for k, side in sides.items()}
                if first is not None:
                    alone = {"before": first, "now": None}
                    result |= {k: fresh(name, kind, str(i), "alone", package=p).get("ours") for k, p in alone.items()}
            found[kind].append(result | {"what": item.what, "variable": getattr(item, "variable", "")})
            found[kind][-1]["floor"] = getattr(item, "floor", "")
    return found


def fresh(*what: str, package: Path | None = None) -> dict[str, Any]:
    """One measurement in a new process, with one BLAS thread; of another `package` where that is in a folder."""
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    minutes = MINUTES
    if package is not None:
        environment, minutes = environment | {"PYTHONPATH": str(package)}, MINUTES_OF_FIRST
    command = [sys.executable, "-W", "ignore", str(Path(__file__).resolve()), "--one", *what]
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=None if package is None else subprocess.DEVNULL,  # it lacks much
            text=True,
            check=True,
            env=environment,
            cwd=package,
            timeout=60 * minutes,
        )
    except subprocess.SubprocessError as error:
        if package is None:
            print(error, file=sys.stderr)
        return {"failed": type(error).__name__}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def one(name: str, kind: str, index: str, side: str) -> dict[str, Any]:
    item = getattr(importlib.import_module(name), kind)()[int(index)]
    if kind == "growths":
        return exponent(item)
    if kind == "limits":
        return share_of_limit(item)
    if side == "time":
        return ratios(item)
    if side == "alone":
        return ratios(replace(item, peers={}))
    return peak_memory(item.ours if side == "ours" else item.peers[side])


def machine() -> str:
    model, memory = platform.machine(), ""
    if (info := Path("/proc/cpuinfo")).exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
        memory = f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB of memory"
    return f"{model}, {os.cpu_count()} cores{memory}"


def versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {"Python": platform.python_version()}
    for name in PACKAGES + PEERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
