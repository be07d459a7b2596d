"""Options that commands share: which file and how to read it, ropes, designs, and where the answer goes."""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from bayescmp.cli.app import Run, in_options, names_of_tests

if TYPE_CHECKING:
    from bayescmp import Resampling, Rope, Scores
    from bayescmp.catalogue import Test

    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType

Command = TypeVar("Command", bound=Callable[..., Any])
FORMATS = ("csv", "tsv", "json", "jsonl", "parquet")
ROLES = ("model", "dataset", "score", "repeat", "fold", "item", "sample", "cluster")
BUNDLED = ("labour", "uci", "domains", "items")


WHAT_A_ROPE_IS = (
    "the differences between two models that make no practical difference to you. With --rope 0.01, for example, "
    "accuracies within one percentage point make no practical difference; with --rope 0 every difference counts. The "
    'page "Choosing a rope" of the documentation shows how to choose one.'
)


class RopeType(ParamType):
    """0.01, or low,high."""

    name = "rope"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What is said where a rope is needed."""
        return f"It holds {WHAT_A_ROPE_IS}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Rope":
        """The rope of a text."""
        from bayescmp import Rope

        if isinstance(value, Rope):
            return value
        try:
            borders = [float(part) for part in str(value).split(",")]
        except ValueError:
            self.fail(f"{value!r} must be a number such as 0.01, or two such as -0.01,0.02.", param, ctx)
        try:
            return Rope.of(borders[0] if len(borders) == 1 else tuple(borders))  # type: ignore[arg-type]
        except ValueError as error:
            self.fail(in_options(str(error).removeprefix("`rope` ")), param, ctx)


class ResamplingType(ParamType):
    """kfold:FOLDS, kfold:REPEATSxFOLDS, subsampling:TRAIN,TEST,REPEATS, independent, runs, rho:NUMBER, and others."""

    name = "design"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Resampling":
        """The design of a text."""
        from bayescmp import Resampling

        if isinstance(value, Resampling):
            return value
        kind, _, rest = str(value).partition(":")
        try:
            numbers = [float(part) for part in rest.replace("x", ",").split(",") if part]
        except ValueError:
            numbers = []
        if kind == "kfold" and len(numbers) in (1, 2):
            *repeats, folds = numbers
            return Resampling.kfold(folds, *repeats)  # type: ignore[arg-type]  # whole numbers are checked there
        if kind == "subsampling" and len(numbers) == 3:
            return Resampling.subsampling(numbers[0], numbers[1], numbers[2])  # type: ignore[arg-type]
        if kind == "leave-one-out" and len(numbers) == 1:
            return Resampling.leave_one_out(numbers[0])  # type: ignore[arg-type]
        if kind == "bootstrap" and len(numbers) == 2:
            return Resampling.bootstrap(numbers[0], numbers[1])  # type: ignore[arg-type]
        if kind == "blocked" and len(numbers) in (1, 2):
            return Resampling.blocked(numbers[0], warm_up=sum(numbers[1:]))  # type: ignore[arg-type]
        if kind == "rho" and len(numbers) == 1:
            return Resampling.custom(numbers[0])
        if value in ("independent", "runs"):
            return Resampling.independent() if value == "independent" else Resampling.runs()
        return self.fail(
            f"{value!r} must be kfold:10, kfold:5x2 (5 repeats of 2 folds), subsampling:50,6,100 (cases to train, to "
            "test, repeats), leave-one-out:57 (cases), bootstrap:57,100 (cases, repeats), blocked:10 or blocked:10,1 "
            "(blocks in time, the first of them only for training), independent, runs (that cannot be paired) or "
            "rho:0.1.",
            param,
            ctx,
        )


class Setting(ParamType):
    """KEY=VALUE, the value a number, true, false, none, or a text."""

    name = "key=value"

    def __init__(self, *, texts: bool = False) -> None:
        self.texts = texts

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """The key and its value."""
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if not key or not equals:
            self.fail(f"{value!r} must be KEY=VALUE, such as draws=10000.", param, ctx)
        if self.texts:
            return key, text
        words: dict[str, Any] = {"true": True, "false": False, "none": None}
        if text.lower() in words:
            return key, words[text.lower()]
        for number in (int, float):
            try:
                return key, number(text)
            except ValueError:
                pass
        return key, text


class TestName(ParamType):
    """The name of a test in the catalogue, with hyphens; where both schools have it, "frequentist." goes before it."""

    name = "test"

    __test__ = False  # not a test case, whatever pytest thinks of its name

    def __init__(self, school: str | None = None) -> None:
        self.school = school

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Test":
        """The test of a name."""
        from bayescmp import catalogue

        if isinstance(value, catalogue.Test):
            return value
        before, dot, name = str(value).replace("-", "_").rpartition(".")
        try:
            return catalogue.find(name, before if dot else self.school)
        except ValueError as error:
            self.fail(str(error).replace("_", "-"), param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What the usage line shows."""
        return "NAME"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that start like this."""
        from bayescmp import catalogue

        catalogue.load_installed()
        return starting(incomplete, names_of_tests(self.school, single=self.school is None))


ROPE, RESAMPLING, SETTING = RopeType(), ResamplingType(), Setting()


def _be_quiet(ctx: click.Context, _: click.Parameter, quiet: bool) -> bool:
    run = Run.of(ctx)
    run.quiet, run.context = quiet, ctx
    return quiet


quiet_option = click.option(
    "-q", "--quiet", is_flag=True, callback=_be_quiet, expose_value=False, help="No warnings and no progress."
)
seed_option = click.option("--seed", type=int, help="The seed of tests that draw; drawn and recorded if not given.")
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace files that exist.")
set_option = click.option(
    "--set", "settings", type=SETTING, multiple=True, help="A further option of the function, KEY=VALUE."
)


def output_option(function: Command) -> Command:
    """-o FILE and --overwrite."""
    path = click.Path(path_type=Path, dir_okay=False)
    return click.option("-o", "--output", type=path, help="A file instead of standard output.")(
        overwrite_option(function)
    )


def format_option(*names: str) -> Callable[[Command], Command]:
    """--format, the first name by default; --json is short for --format json."""

    def with_formats(function: Command) -> Command:
        @wraps(function)
        def called(*, form: str | None, json: bool, **options: Any) -> Any:
            if json and form not in (None, "json"):
                raise click.UsageError(f"Give --json or --format {form}, not both.")
            return function(form="json" if json else form or names[0], **options)

        choice = click.option("--format", "form", type=click.Choice(names), help=f"{names[0]} if not given.")
        return choice(click.option("--json", is_flag=True, help="Short for --format json.")(called))  # type: ignore[return-value]

    return with_formats


# ---- completion in the shell


def starting(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    """Completions: the names that start with what was typed."""
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The bundled results, and the files that the shell finds."""
    bundled = starting(incomplete, [f"bundled:{name}" for name in BUNDLED])
    return bundled or [CompletionItem(incomplete, type="file")]


def complete_model(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The models of the file that was typed before; without one, files, since a gate may name one for each model."""
    if not _typed(ctx).get("file"):
        return [CompletionItem(incomplete, type="file")]
    return starting(incomplete, _names(ctx, "models"))


def complete_dataset(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The datasets of the file that was typed before."""
    return starting(incomplete, _names(ctx, "datasets"))


def _typed(ctx: click.Context) -> dict[str, Any]:
    """What was typed so far; arguments before an option that still lacks its value are left unnamed by click."""
    arguments = [p.name for p in ctx.command.params if isinstance(p, click.Argument)]
    return dict(zip(arguments, ctx.args, strict=False)) | {k: x for k, x in ctx.params.items() if x is not None}


def _names(ctx: click.Context, what: str) -> tuple[str, ...]:
    """The models or datasets of FILE; none where it cannot be read, or not without an answer that is not typed yet."""
    from bayescmp import Resampling

    typed = _typed(ctx)
    given = {name: typed.get(name) for name in READING} | {"scale": "score", "only": ()}
    given["column"] = given["column"] or ()
    for asked in ({}, {"higher_is_better": True}, {"higher_is_better": True, "resampling": Resampling.runs()}):
        with suppress(Exception):  # a shell that completes has no place for an error
            names: tuple[str, ...] = getattr(take_scores(given | asked), what)
            return names
    return ()


def reading_options(function: Command) -> Command:
    """FILE and all options for reading it, which `take_scores` takes."""
    return click.argument("file", shell_complete=complete_file)(how_to_read(function))


def how_to_read(function: Command) -> Command:
    """The options for reading a file."""
    options = (
        click.option("--metric", help="Which metric, or the name of the only one."),
        click.option(
            "--higher-is-better/--lower-is-better", default=None, help="Where no known name of the metric shows it."
        ),
        click.option(
            "--resampling", type=RESAMPLING, help="kfold:10, kfold:10x10, subsampling:50,6,100, independent, runs."
        ),
        click.option("--folds", type=int, help="k-fold cross-validation, where no column shows it."),
        click.option("--repeats", type=int, help="How often it was repeated; once if not given."),
        click.option("--datasets", type=int, help="Their number, where rows are datasets and have no names."),
        click.option("--models-in-rows", is_flag=True, help="A row is a model, and a column a dataset."),
        click.option(
            "--dataset",
            "only",
            multiple=True,
            shell_complete=complete_dataset,
            help="Only this dataset; may be repeated.",
        ),
        click.option(
            "--column", type=Setting(texts=True), multiple=True, help=f"ROLE=NAME, role one of {', '.join(ROLES)}."
        ),
        click.option("--scale", type=click.Choice(["score", "log", "logit", "relative"]), default="score"),
        click.option("--filter", help="Logs of lm_eval: the filter of the answers, such as strict-match."),
        click.option("--split", help="Logs of HELM: the split, such as test."),
        click.option(
            "--unscored",
            type=click.Choice(["wrong", "drop"]),
            help="Logs: count answers without a score as wrong, or leave them out.",
        ),
        click.option(
            "--keep",
            type=click.Choice(["first", "last"]),
            help="Which row of an item, or which run of a model on a task, where there are several.",
        ),
        click.option("--input-format", type=click.Choice(FORMATS), help="By the file's ending if not given."),
    )
    for option in reversed(options):
        function = option(function)
    return function


READING = (
    *("file", "metric", "higher_is_better", "resampling", "folds", "repeats"),
    *("datasets", "models_in_rows", "only", "column", "scale", "input_format"),
    *("filter", "split", "unscored", "keep"),
)


def take_scores(options: dict[str, Any]) -> "Scores":
    """The scores in the file, read by the options that are for reading, which leave `options`."""
    given = {name: options.pop(name) for name in READING}
    columns = dict(given["column"])
    for role in columns:
        if role not in ROLES:
            raise click.UsageError(f"--column takes {', '.join(ROLES)}, got {role!r}.")
    scores = _read(
        given["file"],
        given["input_format"],
        **columns,
        metric=given["metric"],
        higher_is_better=given["higher_is_better"],
        resampling=_design(given["resampling"], given["folds"], given["repeats"]),
        datasets=given["datasets"],
        orient="models" if given["models_in_rows"] else None,
        **{name: given[name] for name in ("filter", "split", "unscored", "keep")},
    )
    if given["only"]:
        scores = scores.select(datasets=list(given["only"]))
    return scores if given["scale"] == "score" else scores.transform(given["scale"])


def _design(resampling: "Resampling | None", folds: int | None, repeats: int | None) -> "Resampling | None":
    from bayescmp import Resampling

    if resampling is not None:
        if folds is not None or repeats is not None:
            raise click.UsageError("Give --resampling, or --folds and --repeats, not both.")
        return resampling
    if folds is None:
        if repeats is not None:
            raise click.UsageError("--repeats needs --folds: how many folds had each repeat?")
        return None
    return Resampling.kfold(folds, 1 if repeats is None else repeats)


def _read(file: str, form: str | None, **columns: Any) -> "Scores":
    import bayescmp

    given = {name: value for name, value in columns.items() if value is not None}
    kind, _, name = file.partition(":")
    if kind == "bundled" and not Path(file).exists():
        return _bundled(name, given)
    return bayescmp.read_scores(sys.stdin.buffer if file == "-" else file, format=form, **given)


def _bundled(name: str, given: dict[str, Any]) -> "Scores":
    import bayescmp

    if name not in BUNDLED:
        raise ValueError(f'There are no bundled results "{name}". Known: {", ".join(BUNDLED)}.')
    if given:
        names = {"orient": "--models-in-rows", "resampling": "--resampling (or --folds)"} | dict.fromkeys(
            ROLES, "--column"
        )
        named = ", ".join(dict.fromkeys(names.get(key, f"--{key.replace('_', '-')}") for key in given))
        raise ValueError(f"The bundled results are read as they are, but {named} was given. Leave it out.")
    load: Callable[[], Scores] = getattr(bayescmp, f"load_{name}")
    return load()
