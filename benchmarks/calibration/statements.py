"""What the tool says, and how often it is true: decisions, groups, P(best), and where the schools differ.

Worlds differ in the models' true means, the law of the noise, and the numbers of models and datasets. Every statement
is made by the functions that print it, and judged by the truth of its world. Writes docs/statements.md, and the rates
that cautions quote to bayescmp/measured.py.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import joint
import numpy as np
from book import Book, Floats, check_curve, curve, rate
from jinja2 import Environment, StrictUndefined

import bayescmp as bc
from bayescmp import bayes
from bayescmp.sentences import KINDS, SAME

ROPE, DRAWS, THRESHOLD = 0.01, 2000, 0.95
SIZES = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
MODELS = (2, 4, 8, 16)
EDGES = (0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0)
LAWS: dict[str, Callable[..., Floats]] = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "heavy tails": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3),
}


def _twins(rng: np.random.Generator, k: int) -> Floats:
    return np.concatenate([[0.0, -0.002], rng.normal(-0.03, 0.01, k - 2)])


WORLDS: dict[str, tuple[float, Callable[[np.random.Generator, int], Floats]]] = {
    "equal models": (0.03, lambda rng, k: np.zeros(k)),
    "near-twins ahead of the others": (0.01, _twins),
    "equal models and a very bad baseline": (0.03, lambda rng, k: np.append(np.zeros(k - 1), -0.3)),
    "small differences": (0.03, lambda rng, k: rng.normal(0, 0.005, k)),
    "medium differences": (0.03, lambda rng, k: rng.normal(0, 0.015, k)),
    "large differences": (0.03, lambda rng, k: rng.normal(0, 0.05, k)),
}
"""Standard deviation of a model's score around its mean, over datasets; and the models' true means."""
Said = dict[Any, list[tuple[float, float]]]


def run(book: Book) -> None:
    _many_models(book)
    book.progress("statements about many models")
    _false_decisions(book)
    book.progress("false decisions on few datasets")
    _two_models(book)
    book.progress("statements about two models")


# ---- many models


def _many_models(book: Book) -> None:
    """The first line and P(best): of the joint model, which `compare` uses, and of the bootstrap of `rank_models`."""
    rng, studies, few = book.rng("statements, many models"), book.studies(24, 1), book.studies(12, 1)
    said = {"joint": Statements(), "bootstrap": Statements()}
    for n in SIZES:
        for k in MODELS:
            for world, (spread, draw) in WORLDS.items():
                for law in LAWS.values():
                    for i in range(studies):
                        truth = draw(rng, k)
                        scores = _scores(truth + spread * law(rng, (n, k)) + rng.uniform(0.6, 0.9, (n, 1)))
                        ranking = bayes.rank_models(scores, rope=ROPE, draws=DRAWS, random_seed=i)
                        said["bootstrap"].judge(n, world, ranking, truth)
                        if i < few:
                            said["joint"].judge(n, world, _joint(scores, i), truth)
        book.progress(f"statements about many models on {n} datasets")
    for name, found in said.items():
        book.values["p_best", name] = _rates(found.p_best, SIZES)
        book.values["groups", name] = _rates(found.groups, SIZES)
        head: tuple[str, ...] = (
            "datasets",
            "studies with P(best) >= 0.9",
            "true",
            "studies with a claim of groups",
            "true",
        )
        rows: list[tuple[object, ...]] = [(n, *_said(found.p_best[n]), *_said(found.groups[n])) for n in SIZES]
        book.table(f"{name}: claims of the first line, by the number of datasets", head, rows)
        head = ("P(best) claimed", "mean", *(f"{n} datasets" for n in (3, 5, 10, 20, 50)))
        book.table(f"{name}: how often the model was the best one", head, _bins(found.bins, (3, 5, 10, 20, 50)))
        head = ("statement", "2 to 5 datasets: said", "true", "6 to 19: said", "true", "20 or more: said", "true")
        rows = [(text, *(x for span in SPANS for x in _said(found.claims[text, span]))) for text in CLAIMS]
        book.table(f"{name}: groups, by what is claimed", head, rows)
        head = ("world", *head[1:])
        rows = [(world, *(x for span in SPANS for x in _said(found.by_world[world, span]))) for world in WORLDS]
        book.table(f"{name}: second half of the group sentence, by world", head, rows)
        rows = [(world, *(x for span in SPANS for x in _said(found.best_by_world[world, span]))) for world in WORLDS]
        book.table(f"{name}: P(best) of 0.9 or more, by world", head, rows)
    three = np.array(said["joint"].best_of_three, dtype=float)
    book.values["equal, three datasets"] = rate(three)
    _, claims, best = joint.of(book)
    points = curve(claims, best, least=30)
    check_curve(book, "statements, P(best) where truths come from the prior", points)
    head = ("mean P(best) stated", "was the best")
    book.table("joint: P(best) where truths come from the prior", head, [(f"{p:.2f}", x) for p, x in points])


def _joint(scores: bc.Scores, seed: int) -> bayes.RankingPosterior:
    """As `compare` makes it, but for runs that it would make longer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bayes.multilevel(scores, rope=ROPE, draws=100, random_seed=seed).ranking()


SPANS = ((2, 5), (6, 19), (20, 50))


CLAIMS = (
    "in the top: within the rope of the best",
    "worse, each taken alone: not within the rope of the best",
    "no practical difference shown: the best one is among these",
    "these beat those",
    "one is better than all others by more than the rope",
)


class Statements:
    """What is said about many studies, and whether it is true: (said, true) for each opportunity."""

    def __init__(self) -> None:
        self.p_best: Said = defaultdict(list)
        self.bins: Said = defaultdict(list)
        self.claims: Said = defaultdict(list)
        self.groups: Said = defaultdict(list)
        self.by_world: Said = defaultdict(list)
        self.best_by_world: Said = defaultdict(list)
        self.best_of_three: list[bool] = []

    def judge(self, n: int, world: str, ranking: bayes.RankingPosterior, truth: Floats) -> None:
        """Note what is said about one study."""
        span = next(s for s in SPANS if s[0] <= n <= s[1])
        means = dict(zip(ranking.models, truth, strict=True))
        top = truth.max()
        best = {model: x == top and (truth == top).sum() == 1 for model, x in means.items()}
        stated = ranking.p_best
        favourite = max(stated, key=stated.__getitem__)
        claim = (stated[favourite] >= 0.9, best[favourite])
        self.p_best[n].append(claim)
        self.best_by_world[world, span].append(claim)
        if n == 3 and world == "equal models":
            self.best_of_three.append(claim[0])
        self.bins[n] += [(p, best[model]) for model, p in stated.items()]
        g = ranking.groups(threshold=THRESHOLD)
        near = {model: x >= top - ROPE * (1 + 1e-9) for model, x in means.items()}
        self.claims[CLAIMS[0], span] += [(model in g.top, near[model]) for model in ranking.models]
        self.claims[CLAIMS[1], span] += [(model in g.worse, not near[model]) for model in ranking.models]
        rest = g.not_worse
        self.claims[CLAIMS[2], span].append((len(rest) > 1, any(means[model] == top for model in rest)))
        gap = ROPE if g.by_rope else 0.0
        beat = bool(g.beaten) and min(means[m] for m in rest) - max(means[m] for m in g.beaten) > gap
        self.claims[CLAIMS[3], span].append((bool(g.beaten) and not g.by_rope, beat))
        self.claims[CLAIMS[4], span].append((g.by_rope, beat))
        self.groups[n].append((bool(g.beaten), beat))
        self.by_world[world, span].append((bool(g.beaten), beat))


def _bins(bins: Said, sizes: Iterable[int]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    every = np.array([x for n in sizes for x in bins[n]], dtype=float)
    for low, high in pairwise(EDGES):

        def inside(x: Floats, low: float = low, high: float = high) -> Floats:
            return x[(x[:, 0] >= low) & ((x[:, 0] < high) | (high == 1))]

        cells = [inside(np.array(bins[n], dtype=float)) for n in sizes]
        shown = [rate(x[:, 1]) if len(x) >= 20 else "too few" for x in cells]
        rows.append((f"{low:g} to {high:g}", f"{inside(every)[:, 0].mean():.3f}" if len(inside(every)) else "", *shown))
    return rows


# ---- two models


def _false_decisions(book: Book) -> None:
    """Two equal models: how often a test calls one of them better."""
    rng, studies = book.rng("statements, false decisions"), book.studies(500, 20)
    tests: dict[str, tuple[tuple[int, ...], int]] = {
        "sign_test": ((2, 3, 4, 5, 6, 8, 10, 20), studies),
        "signed_rank_test": ((2, 3, 4, 5, 6, 8, 10, 20), studies),
        "hierarchical_ttest": ((2, 3), book.studies(50, 3)),
    }
    rows = []
    for name, (sizes, repeats) in tests.items():
        for n in sizes:
            found = {
                (rope, law): rate([_decides(name, n, rope, LAWS[law], rng, i) for i in range(repeats)])
                for rope in (0.0, ROPE)
                for law in LAWS
            }
            book.values["false", name, n] = max(r.value for r in found.values())
            rows.append((name, n, *found.values()))
    head = ("test", "datasets", *(f"rope {r:g}, {law}" for r in (0.0, ROPE) for law in LAWS))
    book.table("two equal models: one of them is called better", head, rows)


def _decides(name: str, n: int, rope: float, law: Callable[..., Floats], rng: np.random.Generator, i: int) -> bool:
    difference = 0.03 * np.sqrt(2) * law(rng, n)
    if name == "hierarchical_ttest":
        folds = difference[:, None] + rng.normal(0, 0.02, (n, 10))
        pair = bc.Scores.from_arrays(
            {"a": 0.7 + folds, "b": np.full((n, 10), 0.7)}, metric="accuracy", resampling=bc.Resampling.kfold(10)
        ).pair("a", "b")
        posterior: bayes.Posterior = bayes.hierarchical_ttest(pair, rope=rope)
    elif name == "sign_test":
        posterior = bayes.sign_test(difference, np.zeros(n), rope=rope)
    else:
        posterior = bayes.signed_rank_test(difference, np.zeros(n), rope=rope, draws=DRAWS, random_seed=i)
    return posterior.decision(THRESHOLD) in (bc.Decision.A_BETTER, bc.Decision.B_BETTER)


def _two_models(book: Book) -> None:
    """Decisions of pairs, and where the schools differ: signed-rank and Wilcoxon's test, t-tests of one dataset."""
    rng, studies = book.rng("statements, two models"), book.studies(40, 2)
    decisions: Said = defaultdict(list)
    kinds: dict[Any, list[tuple[str, float, float]]] = defaultdict(list)
    noise = {law: np.mean([draw(rng, (2, 200_000)) for _ in range(2)], axis=0) for law, draw in LAWS.items()}
    for law, draw in LAWS.items():
        for spread, means in WORLDS.values():
            # the average of two datasets' differences, each of two models with noise of their own
            average = spread * (noise[law][0] - noise[law][1])
            for n in (3, 5, 6, 10, 20, 50):
                for i in range(studies):
                    truth = means(rng, 2)
                    c = _compared(truth + spread * draw(rng, (n, 2)) + rng.uniform(0.6, 0.9, (n, 1)), i)
                    shares = bc.Rope.of(ROPE).regions(truth[0] - truth[1] + average)
                    theta = np.array([np.mean(shares == r) for r in (1, 0, -1)])
                    _note(c, n, theta, truth, "many datasets", decisions, kinds)
    design = bc.Resampling.kfold(10, repeats=10)
    for spread, means in WORLDS.values():
        for rope in (0.0, ROPE):
            for i in range(6 * studies):
                truth = means(rng, 2)
                shared = np.sqrt(0.1) * rng.standard_normal((1, 2)) + np.sqrt(0.9) * rng.standard_normal((100, 2))
                c = _compared(0.7 + truth + spread * shared, i, rope, design)
                region = bc.Rope.of(rope).regions(np.array([truth[0] - truth[1]]))[0]
                theta = np.array([region == 1, region == 0, region == -1], dtype=float)
                _note(c, 100, theta, truth, "one dataset", decisions, kinds)
    _decision_tables(book, decisions, kinds)


def _compared(x: Floats, seed: int, rope: float = ROPE, design: bc.Resampling | None = None) -> bc.Comparison:
    if design is not None:
        return bc.compare(_scores(x.T[..., None].transpose(2, 1, 0)[0], resampling=design), rope=rope)
    return bc.compare(_scores(x), rope=rope, random_seed=seed, bayes_options={"draws": DRAWS})


def _note(c: bc.Comparison, n: int, theta: Floats, truth: Floats, where: str, decisions: Said, kinds: Any) -> None:
    pair = c.pairs[0]
    largest = (theta == theta.max()) & ((theta == theta.max()).sum() == 1)
    right = dict(zip(("A better", "equivalent", "B better"), largest, strict=True))
    span = where if where == "one dataset" else "fewer than 6 datasets" if n < 6 else "6 or more datasets"
    for words in ("better", "equivalent"):
        said = pair.decided if words == "better" else pair.decision is bc.Decision.EQUIVALENT
        decisions[span, words].append((said, right.get(pair.decision.value, False)))
    kinds[where].append((pair.verdict.kind, right.get(pair.decision.value, np.nan), float(truth[0] != truth[1])))


def _decision_tables(book: Book, decisions: Said, kinds: Any) -> None:
    words = {"better": "one model is better (or: most probably better)", "equivalent": "equivalent (or: most probably)"}
    spans = ("one dataset", "fewer than 6 datasets", "6 or more datasets")
    rows = [(words[w], *(x for span in spans for x in _said(decisions[span, w]))) for w in words]
    head = ("decision", *(x for span in spans for x in (f"{span}: said", "true")))
    book.table("decisions about two models", head, rows)
    rows = []
    for kind in KINDS:
        row: list[object] = [kind if kind in SAME else f"differ: {kind}"]
        for where in ("one dataset", "many datasets"):
            found = [x for x in kinds[where] if x[0] == kind]
            right = np.array([x[1] for x in found], dtype=float)
            decided = right[np.isfinite(right)]
            row.append(f"{len(found) / len(kinds[where]):.3f}")
            row.append(str(rate(decided)) if len(decided) >= 20 else "" if len(decided) == 0 else "too few")
        rows.append(tuple(row))
    head = (
        "kind",
        "one dataset: said",
        "the Bayesian decision was true",
        "many datasets: said",
        "the Bayesian decision was true",
    )
    book.table("agreement of the schools", head, rows)


# ---- counting and writing


def _scores(x: Floats, **options: Any) -> bc.Scores:
    options = {"datasets": len(x)} | options if "resampling" not in options else options
    return bc.Scores.from_arrays({f"m{i}": x[:, i] for i in range(x.shape[1])}, metric="accuracy", **options)


def _said(pairs: list[tuple[float, float]]) -> tuple[str, object]:
    """How often it was said, and how often that was true."""
    x = np.array(pairs, dtype=float)
    if not len(x):
        return "", ""
    said = x[:, 0] > 0
    return f"{said.mean():.3f}", rate(x[said, 1]) if said.sum() >= 20 else "too few" if said.any() else ""


def _rates(pairs: Said, sizes: Iterable[int]) -> dict[int, float]:
    true = {n: [float(true) for said, true in pairs[n] if said] for n in sizes}
    return {n: round(rate(x).value, 2) for n, x in true.items() if len(x) >= 20}


def write(book: Book, docs: Path) -> None:
    """docs/statements.md, and the numbers that cautions quote."""
    words = (Path(__file__).parent / "statements.md").read_text(encoding="utf-8")
    template = Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(words)

    def table(name: str) -> str:
        return f"**{name}**\n\n{book.tables[name]}"

    (docs / "statements.md").write_text(template.render(table=table, v=book.values), encoding="utf-8")
    false: dict[str, dict[int, float]] = defaultdict(dict)
    for key, value in book.values.items():
        if key[0] == "false":
            false[key[1]][key[2]] = round(value, 2)
    lines = [
        '"""How often statements came true in simulated studies: docs/statements.md.',
        "",
        "Written by `python benchmarks/calibration --statements`; cautions quote it.",
        '"""',
        "",
        "P_BEST = {",
        *(f'    "{name}": {book.values["p_best", name]},' for name in ("joint", "bootstrap")),
        "}",
        '"""Ranking, datasets, and how often a model with P(best) of 0.9 or more was the best one."""',
        "GROUPS = {",
        *(f'    "{name}": {book.values["groups", name]},' for name in ("joint", "bootstrap")),
        "}",
        '"""Ranking, datasets, and how often models that were said to be beaten truly were."""',
        "FALSE_DECISIONS = {",
        *(f'    "{test}": {rates},' for test, rates in false.items()),
        "}",
        '"""Test, datasets, and how often one of two equal models was called better (P >= 0.95)."""',
    ]
    (docs.parent / "bayescmp" / "measured.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
