"""`bayescmp plot`: a figure of a comparison as a file."""

from pathlib import Path
from typing import Any

import click

from bayescmp.cli.comparing import comparing_options, run_comparison
from bayescmp.cli.options import Setting, overwrite_option, reading_options, take_scores
from bayescmp.cli.output import check_free


def _kinds(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from bayescmp.plots.kinds import COMPARISON

    return [kind for kind in COMPARISON if kind.startswith(incomplete)]


@click.command(short_help="A figure of a comparison.")
@click.argument("kind", shell_complete=_kinds)
@reading_options
@comparing_options
@click.option("--pair", nargs=2, metavar="A B", help="The two models, for figures of one pair.")
@click.option("--draw", type=Setting(), multiple=True, help="A further option of the figure, KEY=VALUE.")
@click.option("--dpi", type=int, default=300, show_default=True, help="Of figures in pixels (.png).")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="fig.pdf, .svg ..."
)
@overwrite_option
def plot(
    kind: str,
    pair: tuple[str, str] | None,
    draw: tuple[tuple[str, Any], ...],
    dpi: int,
    output: Path,
    overwrite: bool,
    **options: Any,
) -> None:
    """Draw a figure of the comparison of FILE into a file; its ending tells the format.

    KIND is what Comparison.plot(kind=...) takes, such as matrix, forest or p_best; those of one pair, such as
    posterior, need --pair A B.
    """
    from bayescmp.plots.kinds import COMPARISON, OF_PAIR
    from bayescmp.plots.saving import figure_format, save_figure

    figure_format(output)
    check_free(output, overwrite)
    if kind not in COMPARISON:
        raise click.UsageError(f"KIND must be one of {', '.join(COMPARISON)}, got {kind!r}.")
    if pair and kind not in OF_PAIR:
        raise click.UsageError(f"--pair is for figures of one pair ({', '.join(OF_PAIR)}); {kind} shows all models.")
    comparison: Any = run_comparison(take_scores(options), options)
    drawing = dict(draw) | ({"pair": pair} if pair else {})
    try:
        drawn = comparison.plot(kind=kind, **drawing)
    except TypeError as error:
        if not drawing:
            raise
        raise ValueError(f"{kind}: {error}") from None
    while not hasattr(drawn, "savefig") and not hasattr(drawn, "figure"):
        drawn = drawn[0]  # an array of axes, all on one figure
    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    save_figure(figure, output, dpi=dpi, overwrite=overwrite)
