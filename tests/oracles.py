"""Which independent source confirms which public number: read from the `oracle` marks of the tests.

A mark names what the test proves, and by what: ``@pytest.mark.oracle("bayes.sign_test", "baycomp", "example: W30")``.
Several names are separated by spaces. A source is one of `SOURCES`, with a detail after a colon where that tells more.
The marks are read from the text of the tests, so that the answer does not depend on which tests were picked for a run.
"""

import ast
import inspect
from dataclasses import dataclass
from pathlib import Path

import bayescmp

SOURCES = {
    "closed form": "a formula written out in the test",
    "brute force": "enumeration, quadrature or a sampler written in the test, apart from the package",
    "simulation": "data with a known truth: level, coverage or calibration",
    "example": "a worked example of a textbook, recomputed by hand",
    "published": "a number printed in a paper or in another project's documentation",
    "scipy": "",
    "statsmodels": "",
    "scikit-posthocs": "",
    "mlxtend": "",
    "baycomp": "",
    "bayes-testkit": "",
    "ArviZ": "",
    "mpmath": "arithmetic with many digits",
    "PyMC": "the same model, sampled by NUTS",
}
NEEDS_DETAIL = ("example", "published")
RESULTS = (
    "bayes.Posterior bayes.DifferencePosterior bayes.RegionPosterior bayes.HierarchicalPosterior "
    "bayes.RankingPosterior bayes.StrengthPosterior bayes.MultilevelPosterior bayes.HierarchicalPrior "
    "frequentist.TestResult frequentist.PairwiseTests frequentist.Power Comparison"
).split()
# What a result has besides new numbers: its words, its forms, its parts, and the numbers the test itself is about.
OTHER = set(
    "p_better p_equivalent p_worse probabilities plot sentence explain cautions a b pairs models to_frame to_dict "
    "to_json to_arviz from_dict from_json row of resolve log_nu_range pair_names three labels numbers rows "
    "largest_mcse problems answered has_answer has_estimate bare settle sentences methods_text bibtex report to_csv "
    "to_latex to_text pairs_at pairs_of_top to_markdown headline plan is_ranked quantity beyond_the_rope rests_on "
    "next_heading order".split()
)
# Advice; what every kind of posterior has its own of; what only refuses.
WITHOUT_NUMBERS = {"frequentist.recommend", "gates.side_by_side", "bayes.StrengthPosterior.with_rope"} | {
    f"bayes.Posterior.{name}" for name in "mcse draws expected hdi mean numerical_error prior_sensitivity swap".split()
}


@dataclass(frozen=True)
class Oracle:
    """One source of one number in one test."""

    name: str
    source: str
    detail: str
    test: str
    slow: bool


def public_numbers() -> list[str]:
    """The names that need an oracle: public functions, and what results tell beyond the test's own number."""
    names = ["compare"]
    for school in ("bayes", "frequentist", "planning", "gates"):
        module = getattr(bayescmp, school)
        names += [f"{school}.{n}" for n in module.__all__ if inspect.isfunction(getattr(module, n))]
    for result in RESULTS:
        for name, member in vars(find(result)).items():
            if not name.startswith("_") and name not in OTHER and (callable(member) or hasattr(member, "__get__")):
                names.append(f"{result}.{name}")
    return sorted(set(names) - WITHOUT_NUMBERS)


def find(name: str) -> object:
    """The object of a dotted name below `bayescmp`; an AttributeError where there is none."""
    found: object = bayescmp
    for part in name.split("."):
        found = getattr(found, part)
    return found


def read(folder: Path) -> list[Oracle]:
    """Every mark of every test of a folder."""
    return [oracle for path in sorted(folder.glob("test_*.py")) for oracle in read_text(path.read_text("utf-8"), path)]


def read_text(text: str, path: Path) -> list[Oracle]:
    """The marks of one file; a mark that breaks the rules is a ValueError that says where."""
    oracles = []
    for test in ast.parse(text).body:
        if not isinstance(test, ast.FunctionDef):
            continue
        marks = [_mark(decorator) for decorator in test.decorator_list]
        slow = any(name == "slow" for name, _ in marks)
        for name, call in marks:
            if name != "oracle":
                continue
            where = f"{path.name}:{test.lineno} {test.name}"
            names, sources = _arguments(call, where)
            for source in sources:
                kind, _, detail = source.partition(": ")
                if kind not in SOURCES:
                    raise ValueError(f"{where}: an oracle must be one of {', '.join(SOURCES)}; got {source!r}.")
                if kind in NEEDS_DETAIL and not detail:
                    raise ValueError(f'{where}: say which, as in "{kind}: W09"; got {source!r}.')
                oracles += [Oracle(n, kind, detail, f"{path.stem}::{test.name}", slow) for n in names]
    return oracles


def problems(oracles: list[Oracle], needed: list[str]) -> list[str]:
    """What is wrong, in words: numbers without an oracle, or with a slow one only, and marks of what does not exist."""
    wrong = []
    for name in sorted({o.name for o in oracles}):
        try:
            find(name)
        except AttributeError:
            tests = ", ".join(sorted({o.test for o in oracles if o.name == name}))
            wrong.append(f"bayescmp.{name} does not exist, but {tests} is marked as its oracle.")
    fast, every = {o.name for o in oracles if not o.slow}, {o.name for o in oracles}
    for name in needed:
        if name not in every:
            wrong.append(f"bayescmp.{name} has no independent oracle: write a test, and mark it.")
        elif name not in fast:
            wrong.append(f"bayescmp.{name} has slow oracles only: the normal suite must prove it as well.")
    return wrong


def _mark(decorator: ast.expr) -> tuple[str, ast.Call | None]:
    call = decorator if isinstance(decorator, ast.Call) else None
    target = call.func if call else decorator
    is_mark = isinstance(target, ast.Attribute) and ast.unparse(target.value) == "pytest.mark"
    return (target.attr if isinstance(target, ast.Attribute) and is_mark else "", call)


def _arguments(call: ast.Call | None, where: str) -> tuple[list[str], list[str]]:
    try:
        arguments = [ast.literal_eval(x) for x in call.args] if call and not call.keywords else []
    except ValueError:
        arguments = []
    if len(arguments) < 2 or not all(isinstance(x, str) for x in arguments):
        raise ValueError(f"{where}: an oracle mark must be text: the names, then at least one source.")
    return arguments[0].split(), arguments[1:]
