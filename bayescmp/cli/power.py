"""`bayescmp power`: how many folds, datasets or cases it takes, and what can be seen with those at hand."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import bayescmp
from bayescmp.cli.app import as_json, check_free, emit, examples
from bayescmp.cli.options import (
    RESAMPLING,
    ParamType,
    format_option,
    output_option,
    quiet_option,
    seed_option,
    set_option,
)

if TYPE_CHECKING:
    from bayescmp import Resampling
    from bayescmp.frequentist import Power

ALPHA = 0.05
TESTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ttest": ("power_ttest", ("effect",)),
    "wilcoxon-test": ("power_wilcoxon", ("effect",)),
    "sign-test": ("power_sign_test", ("p_win",)),
    "mcnemar-test": ("power_mcnemar", ("p_only_a", "p_only_b")),
}
"""The test, the function that has its power, and how that calls the effect."""


class Numbers(ParamType):
    """One number, or several with commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[float]:
        """The numbers of a text."""
        if isinstance(value, list):
            return value
        try:
            numbers = [float(part) for part in str(value).split(",")]
        except ValueError:
            self.fail(f"{value!r} must be a number, or several with commas.", param, ctx)
        return [int(x) if x.is_integer() else x for x in numbers]


@click.command(
    short_help="Power and sample size.",
    epilog=examples(
        "bayescmp power --effect 0.5 --power 0.8",
        "bayescmp power --effect 0.2,0.5 --n 10,100 --resampling kfold:10",
        "bayescmp power --test mcnemar-test --effect 0.1,0.05 --power 0.9",
    ),
)
@click.option("--test", type=click.Choice(list(TESTS)), default="ttest", show_default=True, help="Which test.")
@click.option("--effect", type=Numbers(), help="d_z; sign-test: P(A wins); mcnemar-test: P(only A),P(only B right).")
@click.option("--n", type=Numbers(), help="Folds, datasets or cases; several with commas make a curve.")
@click.option("--alpha", type=float, help=f"{ALPHA}, unless it is what to solve for: --effect, --n and --power given.")
@click.option("--power", type=float, help="The probability to find the effect.")
@click.option("--resampling", type=RESAMPLING, help="The design of the corrected t-test: kfold:10x10 ...")
@click.option("--unpaired", is_flag=True, help="Two independent groups (t).")
@click.option("--alternative", default="two-sided", show_default=True, help="two-sided, greater (A better) or less.")
@seed_option
@set_option
@click.option("--figure", type=click.Path(path_type=Path, dir_okay=False), help="Draw the curve: .pdf, .svg ...")
@format_option("text", "json", "csv")
@output_option
@quiet_option
def power(form: str, output: Path | None, figure: Path | None, overwrite: bool, **options: Any) -> None:
    """Power and sample size: give all but one of --effect, --n, --alpha and --power, and get the other.

    Several values of --effect or --n give a row for each.
    """
    check_free(output, overwrite)
    if figure is not None:
        _check_figure(figure, overwrite, options)
    results = _solve(**options)
    if figure is not None:
        _draw(results, figure, overwrite)
    if form == "json":
        emit(as_json("power", {"results": [_row(r) for r in results]}), output, overwrite)
    elif form == "csv":
        emit(bayescmp.reports.csv_text([_row(r) for r in results]), output, overwrite)
    else:
        emit(repr(results[0]) if len(results) == 1 else _curve(results), output, overwrite)


def _check_figure(figure: Path, overwrite: bool, options: dict[str, Any]) -> None:
    bayescmp.plots.figure_format(figure)
    check_free(figure, overwrite)
    if len(options["n"] or ()) < 2:
        raise click.UsageError("--figure draws power against n: give several, such as --n 10,20,40,80.")
    if options["power"] is not None:
        raise click.UsageError("--figure draws power against n: give --effect and --n, not --power.")


def _draw(results: "list[Power]", figure: Path, overwrite: bool) -> None:
    from bayescmp.needs import pandas as pd

    axes = bayescmp.plots.plot_power(pd.DataFrame(map(_row, results)))
    bayescmp.plots.save_figure(axes, figure, overwrite=overwrite)


def _solve(
    test: str,
    effect: list[float] | None,
    n: list[float] | None,
    alpha: float | None,
    power: float | None,
    resampling: "Resampling | None",
    unpaired: bool,
    alternative: str,
    seed: int | None,
    settings: tuple[tuple[str, Any], ...],
) -> "list[Power]":
    extra: dict[str, Any] = dict(settings) | {"alternative": alternative}
    for name, value, owner in (("resampling", resampling, "ttest"), ("paired", unpaired or None, "ttest")):
        if value is not None:
            if test != owner:
                raise click.UsageError(f"--{'unpaired' if name == 'paired' else name} is for --test {owner}.")
            extra[name] = False if name == "paired" else value
    if seed is not None:
        if test != "wilcoxon-test":
            raise click.UsageError("--seed is for --test wilcoxon-test, which is simulated below 30 datasets.")
        extra["random_seed"] = seed
    name, names = TESTS[test]
    sizes: list[Any] = n or [None]
    effects: list[Any] = [None] if effect is None else list(effect)
    if len(names) == 2:
        if effect is None or len(effect) != 2:
            raise click.UsageError("--test mcnemar-test needs --effect P(only A),P(only B right), such as 0.1,0.05.")
        effects = [tuple(effect)]
    level = ALPHA if alpha is None and None in (effect, n, power) else alpha
    function = getattr(bayescmp.frequentist, name)
    try:
        return [
            function(
                **dict(zip(names, e if len(names) == 2 else (e,), strict=True)),
                n=size,
                alpha=level,
                power=power,
                **extra,
            )
            for e in effects
            for size in sizes
        ]
    except TypeError as error:
        if not settings:
            raise
        raise ValueError(f"--set {', '.join(key for key, _ in settings)}: {error}.") from None


def _row(p: "Power") -> dict[str, Any]:
    return {
        "effect": p.effect,
        "effect_name": p.effect_name,
        "n": p.n,
        "n_whole": p.n_whole,
        "alpha": p.alpha,
        "power": p.power,
        "solved_for": p.solved_for,
        "method": p.method,
        "alternative": p.alternative,
        "seed": p.random_seed,
        "notes": list(p.notes),
    }


def _curve(results: "list[Power]") -> str:
    from bayescmp.needs import pandas as pd

    first = results[0]
    columns = {first.effect_name: "{:.4g}", "n": "{}", "alpha": "{:.4g}", "power": "{:.3f}"}
    rows = [[p.effect, p.n_whole, p.alpha, p.power] for p in results]
    shown = [[form.format(x) for form, x in zip(columns.values(), row, strict=True)] for row in rows]
    table = pd.DataFrame(shown, columns=list(columns)).to_string(index=False)
    notes = dict.fromkeys(note for p in results for note in p.notes)
    title = f"Power: {first.method}, {first.alternative}"
    return "\n".join([title, table, *(f"note: {note}" for note in notes)])
