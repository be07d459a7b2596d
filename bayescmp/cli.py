"""The command line: `bayescmp demo`, `check`, `test`. It only calls what is public."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from bayescmp.bayes import DifferencePosterior, Posterior
    from bayescmp.scores import Pair

BAD_INPUT = 2


class _Main(click.Group):
    """Turns our errors into one line on stderr and exit code 2; `--debug` shows the traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ValueError, OSError) as error:
            if ctx.params.get("debug"):
                raise
            click.echo(f"Error: {error}", err=True)
            sys.exit(BAD_INPUT)


@click.group(cls=_Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bayescmp")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """How probable is it that model A is better than model B, by more than you care about?"""


@main.command()
@click.option("--rope", default=0.01, show_default=True, help="Half-width of practical equivalence.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default="report.csv", show_default=True)
def demo(rope: float, output: Path) -> None:
    """Compare two models on the bundled results: print the table, write it as csv."""
    import pandas as pd

    from bayescmp import bayes, load_labour, load_uci

    scores = load_uci()
    pair = scores.pair("rf", "gbm")
    results = [bayes.correlated_ttest(pair, rope=rope, dataset=name) for name in pair.datasets]
    click.echo(repr(scores) + "\n")
    _print_table(pair, results)
    together = [
        bayes.hierarchical_ttest(pair, rope=rope),
        bayes.signed_rank_test(pair, rope=rope, random_seed=1),
        bayes.sign_test(pair, rope=rope),
    ]
    click.echo("\nAll datasets together:\n")
    for result in together:
        click.echo(repr(result) + "\n")
    labour = bayes.correlated_ttest(load_labour().pair("SVM", "DT"), rope=rope)
    click.echo("One dataset in a sentence (Labour data):\n  " + labour.sentence())
    frame = pd.concat([r.to_frame() for r in (*results, *together, labour)], ignore_index=True)
    frame.to_csv(output, index=False)
    click.echo(f"\nWrote {output} ({len(frame)} comparisons).")


@main.command()
@click.argument("path", type=click.Path(path_type=Path))
def check(path: Path) -> None:
    """Say what was understood of a file of results, and what is missing."""
    from bayescmp import read_scores

    click.echo(repr(read_scores(path)))


@main.command()
@click.argument("name", type=click.Choice(["correlated-t", "sign", "signed-rank", "hierarchical"]))
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("a")
@click.argument("b")
@click.option("--rope", required=True, type=float, help="Half-width of practical equivalence; 0 for none.")
@click.option("--dataset", help="Which dataset, for correlated-t where the file has several.")
@click.option("--metric", help="Which metric, or the name of the only one.")
@click.option("--higher-is-better/--lower-is-better", default=None)
@click.option("--folds", type=int, help="k-fold cross-validation, where no column says it.")
@click.option("--repeats", type=int, help="How often the k-fold cross-validation was repeated; 1 if not said.")
@click.option("--seed", type=int, help="Of signed-rank; drawn and recorded if not given.")
def test(
    name: str,
    path: Path,
    a: str,
    b: str,
    rope: float,
    dataset: str | None,
    metric: str | None,
    higher_is_better: bool | None,
    folds: int | None,
    repeats: int | None,
    seed: int | None,
) -> None:
    """Run one test on models A and B of a file of results."""
    from bayescmp import Resampling, bayes, read_scores

    if repeats is not None and folds is None:
        raise ValueError("--repeats needs --folds: how many folds had each repeat?")
    scores = read_scores(
        path,
        metric=metric,
        higher_is_better=higher_is_better,
        resampling=None if folds is None else Resampling.kfold(folds, 1 if repeats is None else repeats),
    )
    pair = scores.pair(a, b)
    if dataset is not None and name != "correlated-t":
        raise ValueError(f"--dataset is for correlated-t; {name} takes all datasets together.")
    tests: dict[str, Callable[[], Posterior]] = {
        "correlated-t": lambda: bayes.correlated_ttest(pair, rope=rope, dataset=dataset),
        "sign": lambda: bayes.sign_test(pair, rope=rope),
        "signed-rank": lambda: bayes.signed_rank_test(pair, rope=rope, random_seed=seed),
        "hierarchical": lambda: bayes.hierarchical_ttest(pair, rope=rope),
    }
    click.echo(repr(tests[name]()))


def _print_table(pair: "Pair", results: "list[DifferencePosterior]") -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from bayescmp import Decision

    title = f"{pair.a} vs {pair.b}, {pair.metric}, each dataset by itself: Bayesian correlated t-test"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    table.add_column("dataset", no_wrap=True)
    for column in ("diff.", "95% HDI", f"P({pair.a})", "P(equal)", f"P({pair.b})"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    names = {Decision.A_BETTER: f"{pair.a} better", Decision.B_BETTER: f"{pair.b} better"}
    for r in results:
        low, high = r.hdi()
        table.add_row(
            r.datasets[0],
            f"{r.mean:.3f}",
            escape(f"[{low:.3f}, {high:.3f}]"),
            *(f"{p:.3f}" for p in r.probabilities.values()),
            names.get(r.decision(), r.decision().value),
        )
    Console().print(table)
    click.echo(
        f"P({pair.a}), P({pair.b}): probability that it is better by more than the rope {results[0].rope};\n"
        "P(equal): that the difference is inside it. A decision needs a probability of 0.95."
    )
