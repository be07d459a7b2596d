"""Writes docs/validation.md: how every number of the package is proved, from the tests themselves.

python scripts/validate.py         runs the suite under coverage (minutes), then writes the page: make coverage
python scripts/validate.py --page  writes the page with the figures of the last run, kept in docs/validation.json
"""

import datetime
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

import oracles  # noqa: E402
import published  # noqa: E402
import same_numbers  # noqa: E402

PEERS = ("scikit-learn", "statsmodels", "scikit-posthocs", "mlxtend", "baycomp", "mpmath")


MUTATION = """## Mutation testing

Do the tests see it when a line of the code is changed? `make mutate` tries a random sample of small changes. Each meets
the tests that run its line, quickest first, for ten seconds or three tests, and never NUTS: the share is a lower bound.
Most of those that went unnoticed in the run before this one were read: by estimate one in eight altered a result, and
nearly all of these have a test now; the others move margins and nodes of a quadrature, a tolerance, a limit of
speed or memory, or the layout of random numbers.
"""
READ_NEXT = """## What to read next

- {doc}`calibration`: how far each test can be trusted.
- {doc}`architecture`: where the code is.
"""


def main() -> int:
    kept = DOCS / "validation.json"
    measured: dict[str, Any] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    measured |= surroundings()
    if "--page" not in sys.argv:
        measured |= suite()
    kept.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
    found = oracles.read(ROOT / "tests")
    wrong = oracles.problems(found, oracles.public_numbers())
    if wrong:
        print("\n".join(wrong))
        return 1
    parts = (
        introduction(),
        matrix(found),
        results(),
        calibration(),
        coverage(measured),
        mutation(),
        versions(measured),
        READ_NEXT,
    )
    (DOCS / "validation.md").write_text("\n".join(parts), "utf-8")
    print("docs/validation.md is written.")
    return 0


def surroundings() -> dict[str, Any]:
    """The versions here, and how the lowest and newest ones agree where `make validate-versions` has been run."""
    from importlib.metadata import version

    found: dict[str, Any] = {"environment": same_numbers.environment()}
    found["peers"] = {name: version(name) for name in PEERS}
    ends = [ROOT / ".venv-versions" / f"{end}.json" for end in ("lowest", "newest")]
    if all(path.exists() for path in ends):
        found["same_numbers"] = agreement(*(json.loads(path.read_text("utf-8")) for path in ends))
    return found


def suite() -> dict[str, Any]:
    """Line and branch coverage of the normal suite."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        command = [sys.executable, "-m", "pytest", "-n", "auto", "--cov=bayescmp", "--cov-branch"]
        run = subprocess.run(
            [*command, f"--cov-report=json:{report}", "--cov-report="],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        passed = re.search(r"\d+ passed.*?(?= in )", run.stdout)
        if run.returncode or not passed:
            raise SystemExit(run.stdout[-5000:] + run.stderr[-2000:])
        files = json.loads(report.read_text("utf-8"))["files"]
        return {"date": f"{datetime.date.today()}", "tests": passed[0], "coverage": packages(files)}


def packages(files: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Lines and branches of every sub-package, all and covered."""
    found: dict[str, Counter[str]] = {}
    for name, file in files.items():
        parts = Path(name).parts
        package = parts[1] if len(parts) > 2 else "other modules"
        keys = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        found.setdefault(package, Counter()).update({key: file["summary"][key] for key in keys})
    return {package: dict(found[package]) for package in sorted(found)}


def agreement(lowest: dict[str, Any], newest: dict[str, Any]) -> dict[str, Any]:
    largest, wrong = same_numbers.compare(lowest, newest)
    sizes = {group: len(numbers) for group, numbers in lowest["numbers"].items()}
    return {
        "lowest": lowest["environment"],
        "newest": newest["environment"],
        "largest": {group: f"{gap:.0e}" for group, gap in largest.items()},
        "sizes": sizes,
        "differ": wrong,
    }


def introduction() -> str:
    return """# Validation

How the numbers of bayescmp are proved. Every public function, and every method of a result that gives numbers, is
confirmed by at least one source that is not bayescmp: a formula, another library, a published number, brute force, or a
simulation with a known truth. A mark on the test names the source, and the suite fails for a number without one. This
page is written from those marks:

```
make validate            # runs the suite under coverage and the calibration, and writes this page
make coverage            # the same without the calibration
make validate-versions   # the same numbers with the lowest declared versions and with the newest
```
"""


def matrix(found: list[oracles.Oracle]) -> str:
    """One row a number: its sources with the number of tests, and one section with their names."""
    lines = ["## Which source confirms which number\n", "| source | what it is | tests |", "|---|---|---|"]
    for source, what in oracles.SOURCES.items():
        tests = {o.test for o in found if o.source == source}
        if tests:
            lines.append(f"| {source} | {what or 'the library'} | {len(tests)} |")
    names = sorted({o.name for o in found})
    tests = {o.test for o in found}
    lines += [f"\n{len(names)} public numbers, {len(tests)} tests. In brackets: how many tests.\n"]
    lines += ["| number | confirmed by |", "|---|---|"]
    for name in names:
        lines.append(f"| `{name}` | {', '.join(_sources([o for o in found if o.name == name]))} |")
    lines += ["\n### The tests by name\n", "| number | tests |", "|---|---|"]
    for name in names:
        own = sorted({o.test for o in found if o.name == name})
        lines.append(f"| `{name}` | {', '.join(f'`{test}`' for test in own)} |")
    return "\n".join([*lines, ""])


def _sources(own: list[oracles.Oracle]) -> list[str]:
    words = []
    for source in oracles.SOURCES:
        tests = {o.test for o in own if o.source == source}
        details = sorted({o.detail for o in own if o.source == source and o.detail})
        if tests:
            words.append(f"{source} ({len(tests)}{': ' + '; '.join(details) if details else ''})")
    return words


def results() -> str:
    """What others printed beside what we compute."""
    lines = ["## Published results, computed again\n"]
    lines += ["Computed from the published inputs. Without a remark, the printed digits are ours as well.\n"]
    lines += ["| quantity | published | bayescmp | deviation | source |", "|---|---|---|---|---|"]
    for source, numbers in published.PUBLISHED.items():
        for n in numbers():
            where = source + (f"; {n.note}" if n.note else "")
            lines.append(f"| {n.quantity} | {n.printed} | {n.ours:.6g} | {n.deviation:.1e} | {where} |")
    return "\n".join([*lines, ""])


def calibration() -> str:
    if not (DOCS / "calibration.md").exists():
        return "## Calibration\n\nNot measured yet: `python benchmarks/calibration` writes the page.\n"
    return (
        "## Calibration\n\nAre probabilities of 0.9 right nine times out of ten? {doc}`calibration` has the curves.\n"
    )


def coverage(measured: dict[str, Any]) -> str:
    """Lines and branches that the normal suite runs, by package."""
    if "coverage" not in measured:
        return "## Coverage\n\nNot measured yet: `make validate` does.\n"
    rows, total = measured["coverage"], Counter[str]()
    lines = [
        "## Coverage\n",
        f"The normal suite on {measured['date']} ({measured['tests']}), without what runs in other processes.\n",
    ]
    lines += ["| package | lines | branches | both |", "|---|---|---|---|"]
    for package, row in rows.items():
        total.update(row)
        lines.append(_covered(f"`{package}`" if package != "other modules" else package, row))
    return "\n".join([*lines, _covered("all", total), ""])


def _covered(name: str, row: Any) -> str:
    lines, branches, both = (
        f"{100 * covered / max(1, every):.1f} % of {every}"
        for covered, every in (
            (row["covered_lines"], row["num_statements"]),
            (row["covered_branches"], row["num_branches"]),
            (row["covered_lines"] + row["covered_branches"], row["num_statements"] + row["num_branches"]),
        )
    )
    return f"| {name} | {lines} | {branches} | {both} |"


def mutation() -> str:
    """The result of mutation testing, where it was run: a JSON of names and figures."""
    path = DOCS / "mutation.json"
    if not path.exists():
        return "## Mutation testing\n\nNot measured yet.\n"
    data = json.loads(path.read_text("utf-8"))
    rows = [f"| {name} | {value} |" for name, value in data.items()]
    return "\n".join([MUTATION, "| | |", "|---|---|", *rows, ""])


def versions(measured: dict[str, Any]) -> str:
    peers = ", ".join(f"{name} {number}" for name, number in measured["peers"].items())
    lines = ["## Versions\n", f"This page: {measured['environment']}. The oracles: {peers}.\n"]
    same = measured.get("same_numbers")
    if same is None:
        return "\n".join([*lines, "`make validate-versions` was not run.\n"])
    lines += [f"The lowest declared versions: {same['lowest']}.\n", f"The newest: {same['newest']}.\n"]
    lines += ["| engine | numbers | largest difference | allowed |", "|---|---|---|---|"]
    for group, gap in same["largest"].items():
        lines.append(f"| {group} | {same['sizes'][group]} | {gap} | {same_numbers.ALLOWED[group]:.0e} |")
    return "\n".join([*lines, "", *(f"- differs: {line}" for line in same["differ"])])


if __name__ == "__main__":
    sys.exit(main())
