"""`bayescmp test`: one test of two models by its name."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from bayescmp.cli.app import Run
from bayescmp.cli.options import (
    ROPE,
    ParamType,
    format_option,
    output_option,
    quiet_option,
    reading_options,
    seed_option,
    set_option,
    take_scores,
)
from bayescmp.cli.output import as_csv, as_json, check_free, emit, visible_lines
from bayescmp.errors import name_list, unknown_name

if TYPE_CHECKING:
    from bayescmp.bayes import Posterior
    from bayescmp.frequentist import TestResult
    from bayescmp.rope import Rope
    from bayescmp.scores import Scores


@dataclass(frozen=True)
class Test:
    """A test by its name on the command line."""

    name: str
    school: str
    function: str
    seeded: bool = False
    unpaired: bool = False

    __test__ = False  # not a test case, whatever pytest thinks of its name

    def call(self) -> Callable[..., Any]:
        """The function that does it."""
        from importlib import import_module

        return getattr(import_module(f"bayescmp.{self.school}"), self.function)


TESTS = (
    Test("correlated-t", "bayes", "correlated_ttest"),
    Test("sign", "bayes", "sign_test"),
    Test("signed-rank", "bayes", "signed_rank_test", seeded=True),
    Test("hierarchical", "bayes", "hierarchical_ttest"),
    Test("welch", "bayes", "welch_ttest", unpaired=True),
    Test("corrected-t", "frequentist", "corrected_ttest"),
    Test("paired-t", "frequentist", "paired_ttest"),
    Test("rxk-cv-t", "frequentist", "rxk_cv_ttest"),
    Test("cv5x2-t", "frequentist", "cv5x2_ttest"),
    Test("cv5x2-f", "frequentist", "cv5x2_ftest"),
    Test("tost", "frequentist", "tost_ttest"),
    Test("frequentist.welch", "frequentist", "welch_ttest", unpaired=True),
    Test("wilcoxon", "frequentist", "wilcoxon_test"),
    Test("frequentist.sign", "frequentist", "sign_test"),
    Test("permutation", "frequentist", "permutation_test", seeded=True),
    Test("mcnemar", "frequentist", "mcnemar_test"),
    Test("per-instance-t", "frequentist", "per_instance_ttest"),
)


NOT_INDEPENDENT = (
    "these are folds whose training sets overlap (rho = {:.3f}), not independent runs: use correlated-t or corrected-t"
)


class TestName(ParamType):
    """A test's name; its function's name in Python, with or without the school, is another."""

    name = "test"

    __test__ = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Test:
        """The test of a name."""
        if isinstance(value, Test):
            return value
        for test in TESTS:
            if value in _names(test):
                return test
        raise unknown_name("test", value, [test.name for test in TESTS])

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What the usage line shows."""
        return "NAME"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that start like this."""
        return [CompletionItem(test.name) for test in TESTS if test.name.startswith(incomplete)]


def _names(test: Test) -> set[str]:
    short = test.name.removeprefix("frequentist.")
    names = {test.name, f"{test.school}.{short}", f"{test.school}.{test.function}"}
    if test.name == short:
        names.add(test.function)
    return names | {name.replace("-", "_") for name in names}


@click.command(
    short_help="One test on two models of a file.",
    epilog="Tests: "
    + ", ".join(t.name for t in TESTS if t.school == "bayes")
    + " (Bayesian); "
    + ", ".join(t.name for t in TESTS if t.school == "frequentist")
    + " (frequentist).",
)
@click.argument("name", type=TestName())
@reading_options
@click.argument("a")
@click.argument("b")
@click.option("--rope", type=ROPE, help="What makes no practical difference; 0 for none. Bayesian tests and tost.")
@click.option("--alternative", help="two-sided, greater (A better) or less. Frequentist tests.")
@seed_option
@set_option
@format_option("text", "json", "csv")
@output_option
@quiet_option
def test(
    name: Test,
    a: str,
    b: str,
    form: str,
    output: Path | None,
    overwrite: bool,
    rope: "Rope | None",
    alternative: str | None,
    seed: int | None,
    settings: tuple[tuple[str, Any], ...],
    **options: Any,
) -> None:
    """Run one test on models A and B of FILE.

    NAME is one of those below, or a function's name in Python such as frequentist.corrected_ttest.
    """
    check_free(output, overwrite)
    arguments = _arguments(name, rope, alternative, seed, dict(settings))
    result = _run(name, take_scores(options), a, b, arguments)
    problems = result.diagnostics.problems if getattr(result, "diagnostics", None) else ()
    run = click.get_current_context().find_object(Run)
    assert run is not None
    if problems and not run.trouble:
        run.distrust("; ".join(problems))
    if form == "text":
        seeded = "" if result.random_seed is None else f"\n  seed {result.random_seed}"
        emit(visible_lines(repr(result) + seeded), output, overwrite)
        return
    row = posterior_row(result) if name.school == "bayes" else test_row(result)
    row = {"school": name.school, "test": name.name} | row
    if form == "csv":
        emit(as_csv([row]), output, overwrite)
        return
    state = {"converged": not run.trouble, "warnings": [*run.trouble, *run.warned]}
    emit(as_json("test", row | {"sentence": result.sentence()} | state), output, overwrite)


def _arguments(
    test: Test, rope: "Rope | None", alternative: str | None, seed: int | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """What the function is called with; an option that it does not have is refused, not ignored."""
    parameters = inspect.signature(test.call()).parameters
    if "rope" in parameters and rope is None:
        raise click.UsageError(
            f"{test.name} needs --rope: the differences that make no practical difference, such as 0.01; 0 for none."
        )
    given: dict[str, Any] = {"rope": rope, "alternative": alternative, "random_seed": seed} | settings
    given = {key: value for key, value in given.items() if value is not None or key in settings}
    if settings.get("engine") == "nuts":
        given.setdefault("progressbar", False)
    known = {key for key, p in parameters.items() if p.kind is p.KEYWORD_ONLY} - {"resampling", "higher_is_better"}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values()) and settings.get("engine") == "nuts"
    if not test.seeded and settings.get("engine") != "nuts":
        known -= {"random_seed"}
    unknown = [key for key in given if key not in known and not open_ended]
    if unknown:
        own = {"rope": "--rope", "alternative": "--alternative", "random_seed": "--seed"}
        shown = ", ".join(own.get(key, key) for key in unknown)
        takes = sorted(known - {"dataset", "rope", "alternative", "random_seed"})
        raise click.UsageError(
            f"{test.name} has no option {shown}." + (f" Known to --set: {', '.join(takes)}." if takes else "")
        )
    return given


def _run(test: Test, scores: "Scores", a: str, b: str, arguments: dict[str, Any]) -> Any:
    try:
        if not test.unpaired:
            return test.call()(scores.pair(a, b), **arguments)
        scores.check_one_metric()
        if len(scores.datasets) > 1:
            raise ValueError(
                f"{test.name} takes one dataset, but the file has {name_list(scores.datasets)}. Say --dataset."
            )
        runs = [scores.values[scores.model_index(name), 0] for name in (a, b)]
        x, y = (values[values == values] for values in runs)
        result = test.call()(x, y, higher_is_better=scores.higher_is_better, **arguments)
        about = {"metric": scores.metric, "scale": scores.scale, "datasets": scores.datasets}
        names: dict[str, Any] = {"a": a, "b": b} if test.school == "bayes" else {"models": (a, b)}
        design = scores.resampling[0]
        overlap = () if design is None or design.rho == 0 else (NOT_INDEPENDENT.format(design.rho),)
        return replace(result, notes=(*result.notes, *overlap), **about, **names)
    except TypeError as error:
        if not arguments:
            raise
        raise ValueError(f"{test.name}: {error}") from None


def posterior_row(p: "Posterior") -> dict[str, Any]:
    """A Bayesian result as one flat row."""
    mean, decision = getattr(p, "mean", None), p.decision().value
    low, high = p.hdi() if mean is not None else (None, None)
    shares = tuple(getattr(p, "expected", {}).values()) or (None, None, None)
    return {
        **_about(p.a, p.b, p),
        "mean_difference": mean,
        "hdi_low": low,
        "hdi_high": high,
        "p_better": p.p_better,
        "p_equivalent": p.p_equivalent,
        "p_worse": p.p_worse,
        "mcse": max(p.mcse.values()),
        **dict(zip(("expected_better", "expected_equivalent", "expected_worse"), shares, strict=True)),
        "rope_low": p.rope.low,
        "rope_high": p.rope.high,
        "decision": {"A better": f"{p.a} better", "B better": f"{p.b} better"}.get(decision, decision),
        "estimand": p.estimand,
        "engine": p.engine,
        "seed": p.random_seed,
        "notes": list(p.notes),
    }


def test_row(t: "TestResult") -> dict[str, Any]:
    """A frequentist result as one flat row."""
    low, high = t.confidence_interval() if t.interval else (None, None)
    effect = t.effect_size
    effect_low, effect_high = effect.interval if effect and effect.interval else (None, None)
    return {
        **_about(str(t.a), str(t.b), t),
        "estimate": t.estimate,
        "estimate_name": t.estimate_name,
        "ci_low": low,
        "ci_high": high,
        "confidence_level": t.confidence_level if t.interval else None,
        "statistic_name": t.statistic_name,
        "statistic": t.statistic,
        "df": t.df,
        "p_value": t.p_value,
        "alternative": t.alternative,
        "effect_name": effect.name if effect else None,
        "effect_size": effect.value if effect else None,
        "effect_low": effect_low,
        "effect_high": effect_high,
        "seed": t.random_seed,
        "notes": list(t.notes),
    }


test_row.__test__ = False  # type: ignore[attr-defined]


def _about(a: str, b: str, result: Any) -> dict[str, Any]:
    return {
        "a": a,
        "b": b,
        "metric": result.metric,
        "higher_is_better": result.higher_is_better,
        "dataset": result.datasets[0] if len(result.datasets) == 1 else None,
        "n": result.n,
        "method": result.method,
    }
