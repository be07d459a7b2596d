"""Writes the README's figures from what was measured: the peers' table, the times beside them, and how it is validated.

python scripts/readme_claims.py    after `make bench` or `make validate`, which call it

Between the marks in README.md nothing is written by hand. What a peer has is told in words here; tests/test_readme.py
compares every "not found" with docs/peers.json, and the versions with docs/benchmarks.md.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NONE = "not found"

PEERS = {
    "baycomp": "https://github.com/janezd/baycomp",
    "bayes-testkit": "",
    "autorank": "https://github.com/sherbold/autorank",
    "scikit-posthocs": "https://github.com/maximtrp/scikit-posthocs",
    "pingouin": "https://pingouin-stats.org",
}
TIDYPOSTERIOR = "[tidyposterior](https://tidyposterior.tidymodels.org) 1.0.1 (R)"
# feature: bayescmp, then the peers in their order, then tidyposterior, which was read in its source
FEATURES = {
    "Bayesian, with a rope": ("yes", "yes", "yes", "yes", NONE, f"{NONE}; Bayes factors", "yes"),
    "correlated t-test": (
        "exact", "exact", "exact", NONE, NONE, NONE, "another model: linear, with a random effect for resamples",
    ),
    "sign, signed-rank": ("both", "both", NONE, "signed-rank, by baycomp", NONE, NONE, NONE),
    "hierarchical t-test": ("quadrature, NUTS", "Stan", "PyMC", NONE, NONE, NONE, NONE),
    "P(best) of many models": ("yes", NONE, NONE, NONE, NONE, NONE, "each model against the leader (newer source)"),
    "Bradley-Terry": ("yes", NONE, "yes, also with Davidson's ties", NONE, NONE, NONE, NONE),
    "all pairs in one call": ("yes", "two models", "Bradley-Terry", "yes", "yes", "yes", "not checked"),
    "corrected t-test (Nadeau-Bengio), p-value": ("yes", NONE, NONE, NONE, NONE, NONE, NONE),
    "Friedman and post-hoc tests": (
        "Nemenyi, Dunn, Wilcoxon", NONE, NONE, "Nemenyi", "many more", "Friedman, pairwise Wilcoxon", NONE,
    ),
    "picks the test": (
        "by the design", "you do", "you do", "by tests of normality and variances", "you do", "you do", "you do",
    ),
    "effect sizes, power": ("both", NONE, "only for local ropes", "effect sizes", NONE, "both, more of them", NONE),
    "report, LaTeX": (
        "HTML, LaTeX, Markdown", NONE, NONE, "text, LaTeX", NONE, "prints tables, also as LaTeX", NONE,
    ),
}  # fmt: skip
# what the README calls it: what the page of the benchmarks does
TIMES = {
    "one correlated t-test, new process": "one correlated t-test, new process",
    "signed-rank test of 54 datasets": "signed-rank test, 54 datasets",
    "Bradley-Terry, 8 models x 120 datasets": "bradley_terry, 8 models x 120 datasets",
    "paired t-test, 20 calls": "paired t-test of one pair, 20 calls",
    "Friedman and Nemenyi, 30 models x 120 datasets": "Friedman + Nemenyi, 30 x 120",
    "435 pairs: signed-rank on 120 datasets": "compare, signed-rank, 435 pairs x 120 datasets",
    "435 pairs: correlated t-test on 100 folds": "compare, correlated t, 435 pairs x 100 folds",
}


def main() -> int:
    path = ROOT / "README.md"
    text = filled(path.read_text("utf-8"))
    path.write_text(text, "utf-8")
    print("README.md has the figures of docs/benchmarks.md, docs/peers.json and docs/validation.json.")
    return 0


def filled(readme: str) -> str:
    """The text with what was measured between its marks."""
    for name, block in {"peers": peers(), "validation": validation()}.items():
        marks = re.compile(rf"(<!-- {name}: begin[^>]*-->\n).*?(<!-- {name}: end -->)", re.S)
        if not marks.search(readme):
            raise SystemExit(f"README.md must have the marks <!-- {name}: begin --> and <!-- {name}: end -->.")
        readme = marks.sub(lambda found, block=block: f"{found[1]}{block}\n{found[2]}", readme)  # type: ignore[misc]
    return readme


def peers() -> str:
    found: dict[str, Any] = json.loads((DOCS / "peers.json").read_text("utf-8"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    names = [f"{f'[{name}]({home})' if home else name} {found[name]['version']}" for name, home in PEERS.items()]
    rows = [["", f"bayescmp {version.rpartition('.')[0]}", *names, TIDYPOSTERIOR], ["---"] * (len(names) + 3)]
    rows += [[feature, *cells] for feature, cells in FEATURES.items()]
    measured = times()
    for label, what in TIMES.items():
        ours, theirs = measured[what]
        rows.append([f"{label}: time", ours, *(theirs.get(name, "") for name in PEERS), ""])
    dates = sorted(peer["date"] for peer in found.values())
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows).replace("|  |", "| |")
    return f"{table}\n\nPeers looked up on {dates[0]}, times measured on {benchmarks()[1]} (`make bench`)."


def benchmarks() -> tuple[str, str]:
    """The page that `make bench` wrote, and its date."""
    page = (DOCS / "benchmarks.md").read_text("utf-8")
    date = re.search(r"Written by `make bench` on (\d{4}-\d\d-\d\d)", page)
    if date is None:
        raise SystemExit("docs/benchmarks.md does not say when it was written: run make bench.")
    return page, date[1]


def times() -> dict[str, tuple[str, dict[str, str]]]:
    """Every case of the benchmarks: our time, and how many times as long each peer took."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for line in benchmarks()[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and cells[0] not in ("", "what") and not cells[0].startswith("--"):
            what, ours, peer, _, ratio, *_ = cells
            theirs = found.setdefault(what, (ours, {}))[1]
            if peer:
                theirs[peer.partition(",")[0]] = f"{ratio.partition(' ')[0]} times"
    if absent := set(TIMES.values()) - set(found):
        raise SystemExit(f"docs/benchmarks.md has no case {sorted(absent)}: name another in TIMES of this script.")
    return found


def validation() -> str:
    """How many numbers have a source, and what the suite covers."""
    page = (DOCS / "validation.md").read_text("utf-8")
    measured: dict[str, Any] = json.loads((DOCS / "validation.json").read_text("utf-8"))
    counts = re.search(r"^(\d+) public numbers, (\d+) tests\.", page, re.M)
    if counts is None or "coverage" not in measured:
        raise SystemExit("docs/validation.md and docs/validation.json are not complete: run make validate.")
    shares = []
    for part, every in (("covered_lines", "num_statements"), ("covered_branches", "num_branches")):
        done, all_ = (sum(row[key] for row in measured["coverage"].values()) for key in (part, every))
        shares.append(f"{100 * done / all_:.1f} %")
    same = measured["same_numbers"]
    sizes, differ = sum(same["sizes"].values()), len(same["differ"])
    return (
        f"- {counts[1]} public numbers, confirmed by {counts[2]} tests with such a source.\n"
        f"- The suite ({measured['tests']} on {measured['date']}) runs {shares[0]} of the lines"
        f" and {shares[1]} of the branches.\n"
        f"- With the lowest declared versions and with the newest, {sizes} numbers agree within what is allowed"
        f" for their engine; {differ} do not."
    )


if __name__ == "__main__":
    sys.exit(main())
