"""Mutation testing of the numerical core: a random sample of small changes, and which of them the tests notice.

python scripts/mutate.py                      writes docs/mutation.json, which scripts/validate.py puts on its page
python scripts/mutate.py --sample 60 rope hdi looks at the named modules only and writes nothing

The tests are collected once, and run once with marks in the code that tell which of them run which statement. Then
every mutant gets a fork of that process: the code of the changed functions is exchanged in place and the tests that run
the changed statement are run, quickest first, until one fails. Doctests do not count, for their numbers are our own.
"""

import argparse
import ast
import gc
import importlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from scipy.stats import binomtest

ROOT = Path(__file__).parents[1]
CORE = {
    "": "rope",
    "bayes": "correlated_t distributions dirichlet sign signed_rank welch hdi loss quadrature convolution "
    "hierarchical_inference shrinkage rank_models",
    "frequentist": "t_tests cv_tests rank_tests adjust permutation contingency intervals effect_sizes",
    "numerics": "moments ranks student binomial studentized_range noncentral friedman",
}
TESTS = """bad_frequentist bad_input comparison contingency correlated_t counts effect_sizes extremes hdi hierarchical
omnibus permutation posthoc power properties published rank_tests ranking sign signed_rank t_tests
welch""".split()
AT_LEAST, ALL_TESTS, MEMORY = 3, 10.0, 8 << 30  # tests, seconds, bytes

SWAPS = """Add Sub, Sub Add, Mult Div, Div Mult, FloorDiv Mult, Pow Mult, BitAnd BitOr, BitOr BitAnd, Lt LtE GtE,
LtE Lt Gt, Gt GtE LtE, GtE Gt Lt, Eq NotEq, NotEq Eq, Is IsNot, IsNot Is, In NotIn, NotIn In, And Or, Or And,
USub UAdd"""
OPERATORS = {first: others for first, *others in map(str.split, SWAPS.split(","))}
TWINS = "min max, minimum maximum, nanmin nanmax, floor ceil, any all, cdf sf, logcdf logsf, ppf isf, argmin argmax"
NAMES = {a: b for pair in TWINS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}


@dataclass(frozen=True)
class Mutant:
    """The `variant`-th edit of the `node`-th node of a module's tree."""

    module: str
    node: int
    variant: int
    line: int
    lines: tuple[int, int]
    what: str

    def __str__(self) -> str:
        return f"{self.module.removeprefix('bayescmp.')}:{self.line}  {self.what}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="only these, such as rope or t_tests")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=8)
    asked = parser.parse_args()
    names = [".".join(filter(None, ("bayescmp", room, name))) for room in CORE for name in CORE[room].split()]
    chosen = [name for name in names if not asked.modules or name.rpartition(".")[2] in asked.modules]
    run = Run([mutant for name in chosen for mutant in mutants(name)], asked.sample, asked.seed)
    files = [str(ROOT / "tests" / f"test_{name}.py") for name in TESTS]
    options = ["-s", "-qq", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:doctest", "-o", "addopts="]
    code = pytest.main([*options, "-m", "not slow", "-k", "not nuts", *files], plugins=[run])
    if code or not run.outcomes:
        raise SystemExit(f"pytest ended with {code!r}.")
    figures = run.figures()
    print(json.dumps(figures, indent=1))
    if not asked.modules:
        (ROOT / "docs" / "mutation.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


class Run:
    """A pytest plugin: in place of running the tests once, it runs them once for every mutant."""

    def __init__(self, every: list[Mutant], sample: int, seed: int) -> None:
        order = random.Random(seed).sample(every, len(every))
        self.possible, self.sample, self.seed = len(every), order[:sample], seed
        self.modules = {name: importlib.import_module(name) for name in sorted({mutant.module for mutant in every})}
        self.outcomes: list[str] = []
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        importlib.import_module("pymc")
        gc.collect()
        paths = {module.__file__ for module in self.modules.values()}
        objects = [found for found in gc.get_objects() if type(found) is FunctionType]
        self.functions = [function for function in objects if function.__code__.co_filename in paths]
        gc.freeze()
        gc.disable()
        reached, seconds = self.trace(session.items)
        for number, mutant in enumerate(self.sample, start=1):
            first, last = mutant.lines
            found = {test for line, by in reached[mutant.module].items() if first <= line <= last for test in by}
            chosen: list[int] = []
            for i in sorted(found, key=lambda i: seconds[i]):
                if len(chosen) < AT_LEAST or sum(seconds[j] for j in [*chosen, i]) < ALL_TESTS:
                    chosen.append(i)
            tests = [(session.items[i], 10 + 5 * seconds[i]) for i in chosen]
            status = forked(partial(self.attempt, mutant, tests)) if found else None
            if status == FAULT:
                raise SystemExit(f"This mutant could not be put in: {mutant}")
            outcome = {None: "not run", 0: "survived", 1: "killed"}.get(status, "stopped")
            self.outcomes.append(outcome)
            if number % 50 == 0:
                print(f"{number} mutants tried", flush=True)
            if outcome in ("survived", "not run"):
                print(f"{number} {outcome} ({len(chosen)} of {len(found)} tests): {mutant}", flush=True)
        return True

    def trace(self, items: list[pytest.Item]) -> tuple[dict[str, dict[int, list[int]]], dict[int, float]]:
        """The tests that run each statement, and their durations; in a fork, which leaves no filled caches behind."""

        def work() -> int:
            seen: set[tuple[str, int]] = set()
            for name, module in self.modules.items():
                vars(module)["_seen"] = lambda line, name=name: seen.add((name, line))
                put_in(module, marked(parsed(name)), self.functions)
            for i, (item, after) in enumerate(zip(items, [*items[1:], None], strict=True)):
                seen.clear()
                for module in self.modules.values():  # else only the first test that needs a number computes it
                    clear(module)
                start, self.failed = time.perf_counter(), False
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([i, self.failed, time.perf_counter() - start, sorted(seen)]) + "\n")
            return 0

        reached: dict[str, dict[int, list[int]]] = {name: defaultdict(list) for name in self.modules}
        seconds = {}
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "trace"
            forked(work)
            for line in kept.read_text("utf-8").splitlines():
                i, failed, seconds[i], seen = json.loads(line)
                if failed:
                    print(f"left out, because it fails: {items[i].nodeid}", flush=True)
                for name, number in () if failed else seen:
                    reached[name][number].append(i)
        print(f"{len(seconds)} of {len(items)} tests, {sum(seconds.values()):.0f} s", flush=True)
        return reached, seconds

    def attempt(self, mutant: Mutant, tests: list[tuple[pytest.Item, float]]) -> int:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        exchange(mutant, self.modules[mutant.module], self.functions)
        for (item, limit), (after, _) in zip(tests, [*tests[1:], (None, 0)], strict=True):
            signal.setitimer(signal.ITIMER_REAL, limit)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self.failed:
                return 1
        return 0

    def figures(self) -> dict[str, str | int]:
        counts = {word: self.outcomes.count(word) for word in ("killed", "stopped", "survived", "not run")}
        noticed, n = counts["killed"] + counts["stopped"], len(self.outcomes)
        interval = binomtest(noticed, n).proportion_ci(method="wilson")
        return {
            "code": f"{len(self.modules)} modules of the numerical core",
            "possible mutants": self.possible,
            f"sample (random, seed {self.seed})": n,
            "a test failed": counts["killed"],
            "time or memory ran out": counts["stopped"],
            "no test failed": counts["survived"],
            "no test of this selection runs the line": counts["not run"],
            "noticed": f"{noticed / n:.1%}, 95% interval {interval.low:.1%} to {interval.high:.1%}",
        }


FAULT = 3


def forked(work: Callable[[], int]) -> int:
    """What the work returns in a silent fork; FAULT for an exception, or minus the signal it died of."""
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    status = FAULT
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        status = work()
    finally:
        os._exit(status)


def exchange(mutant: Mutant, module: ModuleType, functions: list[FunctionType]) -> None:
    """Puts the changed code in, or the changed constant of the module wherever it has been imported to."""
    tree = parsed(mutant.module)
    node = list(ast.walk(tree))[mutant.node]
    vars(node).update(list(edits(node))[mutant.variant])
    after, changed = put_in(module, tree, functions)
    clear(module)
    if changed:
        return
    fresh: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(after, fresh)
    # the constant itself, and those below that are made from it
    below = [x for x in tree.body if isinstance(x, (ast.Assign, ast.AnnAssign)) and x.lineno >= mutant.line]
    stored = {
        x.id for part in below for x in ast.walk(part) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)
    }
    for name in stored & fresh.keys():
        old = getattr(module, name)
        for other in [found for key, found in sys.modules.items() if key.startswith(("bayescmp", "test"))]:
            if getattr(other, name, None) is old:
                setattr(other, name, fresh[name])


def clear(module: ModuleType) -> None:
    """Empties what its functions remember."""
    for value in vars(module).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def put_in(module: ModuleType, tree: ast.Module, functions: list[FunctionType]) -> tuple[CodeType, bool]:
    """Gives the functions that exist already the code of this tree: the compiled tree, and whether any has changed."""
    path = str(module.__file__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, after = (
            compile(ast.fix_missing_locations(t), path, "exec", dont_inherit=True)
            for t in (parsed(module.__name__), tree)
        )
    changed = dict(differences(before, after))
    for function in functions:
        if function.__code__.co_filename == path and function.__code__ in changed:
            function.__code__ = changed[function.__code__]
    return after, bool(changed)


def marked(tree: ast.Module) -> ast.Module:
    """Every statement of a function calls `_seen` with its line first."""
    for node in [node for node in ast.walk(tree) if not isinstance(node, (ast.Module, ast.ClassDef))]:
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                marks = [ast.parse(f"_seen({statement.lineno})").body[0] for statement in body]
                setattr(node, field, [x for both in zip(marks, body, strict=True) for x in both])
    return tree


def differences(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The pairs of code objects of functions that differ."""
    inner = [[const for const in code.co_consts if isinstance(const, CodeType)] for code in (before, after)]
    for old, new in zip(*inner, strict=True):
        if old != new:
            yield old, new
            yield from differences(old, new)


def parsed(module: str) -> ast.Module:
    return ast.parse((ROOT / Path(*module.split("."))).with_suffix(".py").read_text("utf-8"))


def mutants(module: str) -> Iterator[Mutant]:
    tree = parsed(module)
    numbers = {node: number for number, node in enumerate(ast.walk(tree))}
    for statement, node in places(tree):
        first = statement.lineno
        last = statement.body[0].lineno - 1 if hasattr(statement, "body") else statement.end_lineno or first
        lines = (0, sys.maxsize) if statement in tree.body else (first, max(first, last))
        before, fields = ast.unparse(node), dict(vars(node))
        for variant, edit in enumerate(edits(node)):
            vars(node).update(edit)
            yield Mutant(module, numbers[node], variant, first, lines, f"{before} -> {ast.unparse(node)}")
            vars(node).update(fields)


def places(tree: ast.Module) -> Iterator[tuple[Any, ast.AST]]:
    """The nodes in the bodies of functions and in constants of the module, each with its statement."""

    def below(node: ast.AST, statement: ast.AST | None) -> Iterator[tuple[Any, ast.AST]]:
        match node:
            case ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom() | ast.Assert():
                return
            case ast.Call(func=called) if "warn" in ast.unparse(called):
                return
            case ast.keyword(arg="strict" | "stacklevel"):
                return
            case ast.BinOp(op=ast.BitOr()) if statement in tree.body:
                return  # a type
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            functions = ast.FunctionDef if isinstance(node, ast.ClassDef) else ast.AST
            children: list[ast.AST] = [child for child in node.body if isinstance(child, functions)]
        elif isinstance(node, ast.AnnAssign):
            children = [node.value] if node.value else []
        else:
            children = list(ast.iter_child_nodes(node))
        for child in children:
            if child in tree.body and isinstance(child, ast.AugAssign):
                continue  # puts a class on a list
            own = child if isinstance(child, ast.stmt) else statement
            if own is not None:
                yield own, child
            yield from below(child, own)

    yield from below(tree, None)


def edits(node: ast.AST) -> Iterator[dict[str, Any]]:
    """What can be changed at a node: fields with their new values."""
    match node:
        case ast.UnaryOp(op=ast.Not() | ast.Invert() as op, operand=inner):
            yield {"operand": ast.UnaryOp(op, inner)}
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) | ast.UnaryOp(op=op):
            yield from ({"op": swap} for swap in swaps(op))
            if isinstance(node, ast.BinOp) and isinstance(op, ast.Sub) and ast.unparse(node.left) in ("1", "1.0"):
                yield {"left": ast.Constant(0), "op": ast.Add()}
        case ast.Compare(ops=ops):
            yield from ({"ops": [*ops[:i], swap, *ops[i + 1 :]]} for i, op in enumerate(ops) for swap in swaps(op))
        case ast.Constant(value=bool(value)):
            yield {"value": not value}
        case ast.Constant(value=int(value)):
            yield from ({"value": value + 1}, {"value": value - 1})
        case ast.Constant(value=float(value)):
            yield from ({"value": value / 2 if value else 1.0}, {"value": -value if value else 0.5})
        case ast.Attribute(attr=name) if name in NAMES:
            yield {"attr": NAMES[name]}
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield {"id": NAMES[name]}


def swaps(operator: ast.AST) -> list[Any]:
    return [getattr(ast, name)() for name in OPERATORS.get(type(operator).__name__, ())]


if __name__ == "__main__":
    main()
