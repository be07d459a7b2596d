"""Mutation testing of the numerical core: a random sample of small changes, and which of them the tests notice.

python scripts/mutate.py                      writes docs/mutation.json, which scripts/validate.py puts on its page
python scripts/mutate.py --sample 60 rope hdi looks at the named modules only and writes nothing

The tests are collected once and traced once, to see which of them run which line. Then every mutant gets a fork of that
process: the code of the changed functions is exchanged in place and the tests that run the changed statement are run,
quickest first, until one fails. Doctests do not count, for their numbers are our own.
"""

import argparse
import ast
import contextlib
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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import coverage
import pytest
from scipy.stats import binomtest

ROOT = Path(__file__).parents[1]
CORE = {
    "": "moments rope",
    "bayes": "correlated_t distributions dirichlet sign signed_rank welch hdi loss collapsed convolution hyper_grid "
    "hierarchical_inference shrinkage rank_models",
    "frequentist": "t_tests cv_tests rank_tests ranks adjust studentized_range noncentral friedman_exact permutation "
    "contingency interval_rules effect_sizes rank_effects equivalence",
}
TESTS = """bad_frequentist bad_input comparison contingency correlated_t effect_sizes extremes hdi hierarchical omnibus
permutation posthoc power properties published rank_tests ranking sign signed_rank strengths t_tests welch""".split()
AT_LEAST, ALL_TESTS, MEMORY = 3, 20.0, 8 << 30  # tests, seconds, bytes

SWAPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.USub: (ast.UAdd,),
}
TWINS = "min max, minimum maximum, nanmin nanmax, floor ceil, any all, cdf sf, logcdf logsf, ppf isf, argmin argmax"
NAMES = {a: b for pair in TWINS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}
Edits = list[tuple[str, Callable[[], None]]]


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
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    names = [".".join(filter(None, ("bayescmp", room, name))) for room in CORE for name in CORE[room].split()]
    chosen = [name for name in names if not asked.modules or name.rpartition(".")[2] in asked.modules]
    run = Run([mutant for name in chosen for mutant in mutants(name)], asked.sample, asked.seed)
    files = [str(ROOT / "tests" / f"test_{name}.py") for name in TESTS]
    options = ["-s", "-qq", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:doctest", "-o", "addopts="]
    code = pytest.main([*options, "-m", "not slow", *files], plugins=[run])
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
        self.modules = len({mutant.module for mutant in every})
        self.outcomes: list[str] = []
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        importlib.import_module("pymc")
        modules = {name: importlib.import_module(name) for name in sorted({m.module for m in self.sample})}
        reached, seconds = self.trace(session.items, modules)
        items = {item.nodeid: item for item in session.items}
        gc.collect()
        functions = [found for found in gc.get_objects() if type(found) is FunctionType]
        paths = {str(module.__file__) for module in modules.values()}
        self.functions = [function for function in functions if function.__code__.co_filename in paths]
        gc.freeze()
        gc.disable()
        for mutant in self.sample:
            first, last = mutant.lines
            found = {test for line, by in reached[mutant.module].items() if first <= line <= last for test in by}
            chosen: list[pytest.Item] = []
            total = 0.0
            for test in sorted(found, key=lambda name: seconds[name]):
                if len(chosen) < AT_LEAST or total + seconds[test] < ALL_TESTS:
                    chosen.append(items[test])
                    total += seconds[test]
            outcome = self.attempt(mutant, modules[mutant.module], chosen, 10 + 3 * total) if found else "not run"
            self.outcomes.append(outcome)
            if len(self.outcomes) % 50 == 0:
                print(f"{len(self.outcomes)} mutants tried", flush=True)
            if outcome in ("survived", "not run"):
                print(f"{len(self.outcomes)} {outcome} ({len(chosen)} of {len(found)} tests): {mutant}", flush=True)
        return True

    def trace(
        self, items: list[pytest.Item], modules: dict[str, ModuleType]
    ) -> tuple[dict[str, dict[int, list[str]]], dict[str, float]]:
        """The tests that run each line, and their durations; in a fork, which leaves no filled caches behind."""
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "trace.json"
            with fork(0) as child:
                if child.here:
                    tracer = coverage.Coverage(data_file=None, include=[str(m.__file__) for m in modules.values()])
                    seconds = {}
                    tracer.start()
                    for item, after in zip(items, [*items[1:], None], strict=True):
                        tracer.switch_context(item.nodeid)
                        start, self.failed = time.perf_counter(), False
                        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                        if not self.failed:
                            seconds[item.nodeid] = time.perf_counter() - start
                    tracer.stop()
                    data = tracer.get_data()
                    lines = {name: data.contexts_by_lineno(str(m.__file__)) for name, m in modules.items()}
                    kept.write_text(json.dumps([lines, seconds]), "utf-8")
            lines, seconds = json.loads(kept.read_text("utf-8"))
        print(f"{len(seconds)} tests pass, traced in {sum(seconds.values()):.0f} s", flush=True)
        for item in items:
            if item.nodeid not in seconds:
                print(f"left out, because it fails under the tracer: {item.nodeid}", flush=True)
        return {
            name: {int(line): [test for test in tests if test in seconds] for line, tests in found.items()}
            for name, found in lines.items()
        }, seconds

    def attempt(self, mutant: Mutant, module: ModuleType, tests: list[pytest.Item], limit: float) -> str:
        with fork(limit) as child:
            if child.here:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                exchange(mutant, module, self.functions)
                for item, after in zip(tests, [*tests[1:], None], strict=True):
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                    if self.failed:
                        child.status = 1
                        break
        if child.status > 1:
            raise SystemExit(f"This mutant could not be put in: {mutant}")
        return {0: "survived", 1: "killed"}.get(child.status, "stopped")

    def figures(self) -> dict[str, str | int]:
        counts = {word: self.outcomes.count(word) for word in ("killed", "stopped", "survived", "not run")}
        noticed, n = counts["killed"] + counts["stopped"], len(self.outcomes)
        interval = binomtest(noticed, n).proportion_ci(method="wilson")
        return {
            "code": f"{self.modules} modules of the numerical core",
            "possible mutants": self.possible,
            f"sample (random, seed {self.seed})": n,
            "a test failed": counts["killed"],
            "time or memory ran out": counts["stopped"],
            "no test failed": counts["survived"],
            "no test of this selection runs the line": counts["not run"],
            "noticed": f"{noticed / n:.1%}, 95% interval {interval.low:.1%} to {interval.high:.1%}",
        }


class Child:
    """The two ends of a fork: `here` in the child, `status` is how it ended (negative: the signal)."""

    here = False
    status = 0


@contextlib.contextmanager
def fork(limit: float) -> Iterator[Child]:
    """The block runs in both processes; the child ends with it, and is stopped after `limit` seconds (0: never)."""
    child = Child()
    process = os.fork()
    if process:
        yield child
        child.status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        return
    child.here, child.status = True, 3
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        signal.setitimer(signal.ITIMER_REAL, limit)
        child.status = 0
        yield child
    except BaseException:
        child.status = 3
    finally:
        os._exit(child.status)


def exchange(mutant: Mutant, module: ModuleType, functions: list[FunctionType]) -> None:
    """Puts the changed code into the functions that exist already, wherever they have been imported to."""
    source, tree = parsed(mutant.module)
    path = str(module.__file__)
    before = compile(source, path, "exec", dont_inherit=True)
    edits(list(ast.walk(tree))[mutant.node])[mutant.variant][1]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    changed = dict(differences(before, after))
    for function in functions:
        if function.__code__.co_filename == path and function.__code__ in changed:
            function.__code__ = changed[function.__code__]
    for value in vars(module).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    if changed:
        return
    fresh: dict[str, Any] = {"__name__": module.__name__, "__file__": path}
    exec(after, fresh)
    statement = next(node for node in tree.body if node.lineno <= mutant.line <= (node.end_lineno or 0))
    names = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    for name in names:
        old = getattr(module, name)
        for other in [found for key, found in sys.modules.items() if key.startswith("bayescmp")]:
            if getattr(other, name, None) is old:
                setattr(other, name, fresh[name])


def differences(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The pairs of code objects of functions that differ."""
    inner = [[const for const in code.co_consts if isinstance(const, CodeType)] for code in (before, after)]
    for old, new in zip(*inner, strict=True):
        if old != new:
            yield old, new
            yield from differences(old, new)


def parsed(module: str) -> tuple[str, ast.Module]:
    source = (ROOT / Path(*module.split("."))).with_suffix(".py").read_text("utf-8")
    return source, ast.parse(source)


def mutants(module: str) -> Iterator[Mutant]:
    _, tree = parsed(module)
    numbers = {node: number for number, node in enumerate(ast.walk(tree))}
    for statement, node in places(tree):
        first = statement.lineno
        last = statement.body[0].lineno - 1 if hasattr(statement, "body") else statement.end_lineno or first
        lines = (0, sys.maxsize) if statement in tree.body else (first, max(first, last))
        for variant, (what, _) in enumerate(edits(node)):
            yield Mutant(module, numbers[node], variant, first, lines, what)


def places(tree: ast.Module) -> Iterator[tuple[Any, ast.AST]]:
    """The nodes in the bodies of functions and in constants of the module, each with its statement."""

    def below(node: ast.AST, statement: ast.AST | None) -> Iterator[tuple[Any, ast.AST]]:
        if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)):
            return
        if isinstance(node, ast.Call) and "warn" in ast.unparse(node.func):
            return
        if statement in tree.body and isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return  # a type
        if isinstance(node, ast.keyword) and node.arg in ("strict", "stacklevel"):
            return
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            functions = ast.FunctionDef if isinstance(node, ast.ClassDef) else ast.AST
            children: list[ast.AST] = [child for child in node.body if isinstance(child, functions)]
        elif isinstance(node, ast.AnnAssign):
            children = [node.value] if node.value else []
        else:
            children = list(ast.iter_child_nodes(node))
        for child in children:
            own = child if isinstance(child, ast.stmt) else statement
            if own is not None:
                yield own, child
            yield from below(child, own)

    yield from below(tree, None)


def edits(node: ast.AST) -> Edits:
    """What can be changed at a node: the words for it, and the change."""
    found: Edits = []

    def add(field: str, value: Any, where: ast.AST = node) -> None:
        found.append((f"{words} -> {_shown(node, field, value)}", lambda: setattr(where, field, value)))

    words = ast.unparse(node) if isinstance(node, ast.expr) else ""
    match node:
        case ast.BinOp() | ast.AugAssign() | ast.BoolOp() | ast.UnaryOp():
            words = ast.unparse(node)
            for swap in SWAPS.get(type(node.op), ()):
                add("op", swap())
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
                add("operand", ast.UnaryOp(node.op, node.operand))
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and ast.unparse(node.left) in ("1", "1.0"):
                rest = ast.unparse(node.right)
                found.append((f"{words} -> {rest}", lambda: vars(node).update(left=ast.Constant(0), op=ast.Add())))
        case ast.Compare(ops=[only]):
            for swap in SWAPS.get(type(only), ()):
                add("ops", [swap()])
        case ast.Compare(ops=[first, second]):
            for swap in SWAPS.get(type(first), ()):
                add("ops", [swap(), second])
            for swap in SWAPS.get(type(second), ()):
                add("ops", [first, swap()])
        case ast.Constant(value=bool(value)):
            add("value", not value)
        case ast.Constant(value=int(value)):
            add("value", value + 1)
            add("value", value - 1)
        case ast.Constant(value=float(value)):
            add("value", value / 2 if value else 1.0)
            add("value", -value if value else 0.5)
        case ast.Attribute(attr=name) if name in NAMES:
            add("attr", NAMES[name])
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            add("id", NAMES[name])
    return found


def _shown(node: ast.AST, field: str, value: Any) -> str:
    old = getattr(node, field)
    setattr(node, field, value)
    try:
        return ast.unparse(node)
    finally:
        setattr(node, field, old)


if __name__ == "__main__":
    main()
