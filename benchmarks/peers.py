"""What the peers have, by the names in their installed source: docs/peers.json, from which the README's table is made.

A name is found where one of the words of a feature matches a function, class, method, argument or attribute in the code
of the peer (without its tests). What a name means is for people to read; that there is none is what "not found" says.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "peers.json"
PEERS = ("baycomp", "bayes-testkit", "autorank", "scikit-posthocs", "pingouin")
WORDS = {
    "Bayesian, with a rope": r"(^|_)rope($|_)",
    "correlated t-test": r"correlated_?t",
    "sign, signed-rank": r"^sign_?test|signed_?rank",
    "hierarchical t-test": r"hierarchical_?t",
    "P(best) of many models": r"p_?best|prob\w*_best|best_prob",
    "Bradley-Terry": r"bradley|bbt",
    "corrected t-test (Nadeau-Bengio), p-value": r"nadeau|bengio|corrected_?(resampled_?)?t_?test",
    "Friedman and post-hoc tests": r"friedman|nemenyi",
    "effect sizes, power": r"effect_?size|effsize|cohen|^power_",
    "report, LaTeX": r"latex|[a-z]_report$",
}
MOST_NAMES = 6


def main() -> int:
    kept: dict[str, Any] = json.loads(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    for peer in PEERS:
        try:
            kept[peer] = look(distribution(peer))
        except PackageNotFoundError:
            print(f"{peer} is not installed here: what was found before is kept.", file=sys.stderr)
    PAGE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    return 0


def look(package: Distribution) -> dict[str, Any]:
    """Version, date, and the names that each feature's words match."""
    names = sorted(set(identifiers(package)))
    found = {
        feature: [name for name in names if re.search(words, name, re.I)][:MOST_NAMES]
        for feature, words in WORDS.items()
    }
    return {"version": package.version, "date": f"{datetime.now(UTC):%Y-%m-%d}", "found": found}


def identifiers(package: Distribution) -> Iterator[str]:
    for file in package.files or ():
        if file.suffix != ".py" or file.name.startswith("test"):
            continue
        for node in ast.walk(ast.parse(Path(str(file.locate())).read_text("utf-8"))):
            for field in ("name", "id", "attr", "arg"):
                if isinstance(name := getattr(node, field, None), str):
                    yield name


if __name__ == "__main__":
    sys.exit(main())
