"""The class of all commands, groups of options, and options that several commands share.

The help of a command starts with examples. An option that is not given is read from the environment:
``HORNBEAM_LEARN_CV`` is ``--cv`` of ``hornbeam learn``. Names of metrics, styles and themes are listed here again,
because `hornbeam.evaluate` and `hornbeam.show` import NumPy, which would make help slow.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from hornbeam.evaluate.measures import Measure

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

VARIABLES = "HORNBEAM"  # the beginning of the names of environment variables
GIVEN = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.ENVIRONMENT)
LEAST_WIDTH, HANGING = 20, 2  # the smallest width at which lines are wrapped, and the indent of continuation lines
MARGIN = 2
PRINT_ALL = "hornbeam.cli.print_all"  # key of --all in click's context
COMPLETE = "_HORNBEAM_COMPLETE"  # set while a shell asks for completions
STYLES = ("default", "ascii", "weka", "rpart", "if-then", "table", "describe")  # of a model as text
THEMES = ("auto", "light", "dark")  # of a picture
MEASURES: dict[str, Measure] = {  # by their names on the command line
    "accuracy": "accuracy",
    "balanced-accuracy": "balanced accuracy",
    "auc": "AUC",
    "log-loss": "log loss",
    "brier-score": "Brier score",
    "mean-cost": "mean cost",
    "root-mean-squared-error": "root mean squared error",
    "mean-absolute-error": "mean absolute error",
    "r2": "R2",
}


@dataclass
class Verbosity:
    """How much the running command prints on the error stream."""

    quiet: bool = False
    verbose: bool = False


verbosity = Verbosity()  # global, because warnings come from other threads too


def is_given(context: click.Context, name: str) -> bool:
    """Whether an option was given or set by the environment, and is not its default."""
    return context.get_parameter_source(name) in GIVEN


def variable(command: str | None, option: click.Parameter) -> str:
    """Return the environment variable of an option.

    Examples
    --------
    >>> variable("learn", click.Option(["-t", "--target"])), variable(None, click.Option(["--quiet"]))
    ('HORNBEAM_LEARN_TARGET', 'HORNBEAM_QUIET')
    """
    flag = max(option.opts, key=len).lstrip("-")
    return "_".join([VARIABLES, *([command] if command else []), flag]).replace("-", "_").upper()


def from_environment(command: str | None, options: Iterable[click.Parameter]) -> None:
    """Let options be set by environment variables."""
    for option in options:
        if isinstance(option, click.Option) and option.envvar is None:
            option.envvar = variable(command, option)


def fitted(text: str, *, err: bool = False) -> str:
    """Wrap long lines on a terminal; in a pipe they stay whole, so that other programs can search them.

    Parameters
    ----------
    text : str
        Sentences; lines that are not broken keep their spaces.
    err : bool
        Whether the text goes to the error stream.

    Returns
    -------
    str
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        return text
    import shutil

    return broken(text, shutil.get_terminal_size().columns)


def broken(text: str, width: int) -> str:
    r"""Wrap lines longer than a width; continuation lines are indented.

    Examples
    --------
    >>> broken("This tree has learned nothing.", 22)
    'This tree has learned\n  nothing.'
    """
    return "\n".join(_broken_line(line, width) for line in text.split("\n"))


def _broken_line(line: str, width: int) -> str:
    if len(line) <= width or width < LEAST_WIDTH:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")) + HANGING)
    import textwrap

    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def remark(text: str) -> None:
    """Print a note on the error stream, unless --quiet was given."""
    if not verbosity.quiet:
        from hornbeam.data.in_words import printable

        click.secho(fitted(printable(text), err=True), err=True, dim=True)


def detail(text: str) -> None:
    """Print a line on the error stream if --verbose was given."""
    if verbosity.verbose:
        remark(text)


def warn(text: str) -> None:
    """Print a warning about the data on the error stream, unless --quiet was given."""
    if not verbosity.quiet:
        from hornbeam.data.in_words import printable

        click.secho(fitted(f"warning: {printable(text)}", err=True), err=True, fg="yellow")


def _set(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Store the verbosity; an option before the name of the command holds for the command too."""
    key = f"{__name__}.{parameter.name}"
    context.meta[key] = value or context.meta.get(key, False)
    setattr(verbosity, str(parameter.name), context.meta[key])


def verbosity_options() -> list[click.Option]:
    """Make the options --quiet and --verbose."""
    quiet = "Print no notes, warnings or progress."
    verbose = "Also print what was read and how long it took."
    return [
        click.Option(["-q", "--quiet"], is_flag=True, expose_value=False, callback=_set, help=quiet),
        click.Option(["-v", "--verbose"], is_flag=True, expose_value=False, callback=_set, help=verbose),
    ]


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """Write commands and what they do: in two columns, or below one another if these do not fit."""
    if not examples:
        return
    wide = max(len(command) for command, _ in examples)
    fits = max(len(what) for _, what in examples) + wide + 2 * MARGIN <= formatter.width
    margin = " " * MARGIN
    with formatter.section("Examples"):
        for command, what in examples:
            shown = f"{command.ljust(wide)}{margin}{what}" if fits else f"# {what}\n{margin}{command}"
            formatter.write(f"{margin}{shown}\n")


def _one_table(message: str, args: Sequence[str]) -> str:
    """Explain how to read several files, if the shell has replaced a pattern by their names."""
    files = [typed for typed in args if not typed.startswith("-") and os.path.isfile(typed)]  # noqa: PTH113 (no import)
    if len(files) <= 1:
        return message
    return (
        f"{len(files)} files were given; expected one, or a quoted pattern for several files as one table: 'data/*.csv'"
    )


class Command(click.Command):
    """A command whose help starts with examples, and whose errors suggest what was meant."""

    def __init__(self, name: str | None, **settings: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(name, **settings)
        self.params += verbosity_options()
        from_environment(name, self.params)
        if COMPLETE in os.environ:
            from hornbeam.cli.shell.completing import complete_names

            complete_names(self.params)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the description."""
        from hornbeam.cli.shell.examples import EXAMPLES

        write_examples(formatter, EXAMPLES.get(self.name or "", ()))
        super().format_help_text(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; for an unknown option, suggest similar ones."""
        typed = list(args)  # the parser removes arguments
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise click.UsageError(self.unknown_option(ctx, error.option_name), ctx) from None
        except click.UsageError as error:
            if type(error) is not click.UsageError or "unexpected extra argument" not in error.message:
                raise
            raise click.UsageError(_one_table(error.message, typed), ctx) from None

    def unknown_option(self, ctx: click.Context, typed: str) -> str:
        """Raise an error for an unknown option, with a suggestion."""
        from hornbeam._names import similar

        known = [flag for option in self.get_params(ctx) for flag in (*option.opts, *option.secondary_opts)]
        close = similar(typed, [flag for flag in known if flag.startswith("--")])
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        return f"{ctx.command_path} has no option {typed}{hint}"

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's
        """Run the command; with --verbose, print how long it took."""
        if verbosity.quiet and verbosity.verbose:
            msg = "--quiet and --verbose were given; expected one of them"
            raise click.UsageError(msg, ctx)
        started = time.perf_counter()
        result = super().invoke(ctx)
        if verbosity.verbose:
            detail(f"{ctx.command_path} took {time.perf_counter() - started:.2f} s")
        return result


class OptionGroup:
    """Options that belong together: it decorates a command, and removes their values from its arguments.

    Parameters
    ----------
    *options : decorators
        Results of `click.option`.
    """

    def __init__(self, *options: Callable[[Any], Any]) -> None:
        self.options = options

        def decorated() -> None: ...

        self.names: tuple[str, ...] = tuple(o.name for o in reversed(self(decorated).__click_params__))  # type: ignore[attr-defined]

    def __call__(self, command: Decorated) -> Decorated:
        """Add the options to a command."""
        for option in reversed(self.options):
            command = option(command)
        return command

    def split_off(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Remove the values of these options from a command's keyword arguments and return them."""
        return {name: arguments.pop(name) for name in self.names}


def refuse_without(needed: str, given: dict[str, Any], names: tuple[str, ...]) -> None:
    """Raise an error for options that have no effect without the option `needed`."""
    for name in names:
        if given[name] is not None and given[needed] is None:
            msg = f"--{name.replace('_', '-')} needs --{needed.replace('_', '-')}, which was not given"
            raise ValueError(msg)


def refuse_both(**given: Any) -> None:  # noqa: ANN401 - values of options
    """Raise an error for two options that exclude each other."""
    first, second = given.items()
    if first[1] and second[1]:
        msg = f"--{first[0]} and --{second[0]} were given; expected one of them"
        raise ValueError(msg)


def names_in(typed: tuple[str, ...]) -> list[str]:
    """Return the names in the values of a repeatable option, each of which may hold several between commas."""
    return [name.strip() for words in typed for name in words.split(",") if name.strip()]


def columns_in(typed: tuple[str, ...], names: Collection[str]) -> list[str]:
    """Return the columns in the values of a repeatable option: the whole text if a column is called so, or `names_in`.

    Examples
    --------
    >>> columns_in(("a,b", "x,y"), ["a,b", "x", "y"])
    ['a,b', 'x', 'y']
    """
    return [name for words in typed for name in ([words] if words in names else names_in((words,)))]


def measure_of(typed: str | None) -> Measure | None:
    """Return the metric that was given, if any."""
    return None if typed is None else MEASURES[typed.lower()]


def file_option(*names: str, **settings: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - click's
    """Make an option for a file to write; its folder must exist."""
    settings = {"callback": _check_file, **settings}
    return click.option(*names, type=click.Path(dir_okay=False), metavar="FILE", **settings)


def _check_file(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    if path is not None and not context.resilient_parsing:
        check_folder(max(option.opts, key=len), path)
    return path


def check_folder(option: str, path: str) -> None:
    """Raise an error, before a long computation, if the folder of a file does not exist."""
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120 - pathlib takes longer to import
    if not os.path.isdir(folder):  # noqa: PTH112 - the same
        msg = f"{option} {path}: there is no folder {folder}"
        raise ValueError(msg)


def count_option(
    name: str, metavar: str, text: str, *, least: int = 1, default: int | None = None
) -> Callable[[Any], Any]:
    """Make an option for a whole number of at least `least`."""
    kind, shown = click.IntRange(min=least), default is not None
    return click.option(name, type=kind, default=default, show_default=shown, metavar=metavar, help=text)


class NoneOrFolds(click.IntRange):
    """A number of folds: none, or at least two."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401 - click's
        """Convert what was typed."""
        number = int(super().convert(value, param, ctx))
        if number == 1:
            self.fail("1 is not possible; expected 0 for none, or at least 2 folds.", param, ctx)
        return number

    def _describe_range(self) -> str:
        return "x=0 or x>=2"


target_option = click.option(
    "-t", "--target", metavar="COLUMN", help="The column to predict. [default: the example's own, or the last column]"
)
seed_option = click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed for random choices such as folds."
)
output_option = file_option("-o", "--output", help="Write to this file instead of the terminal.")
all_option = click.option(
    "--all",
    "print_all",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _option, value: context.meta.update({PRINT_ALL: value}),
    help="Print long models and tables in full.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
markdown_option = click.option("--markdown", "as_markdown", is_flag=True, help="Write Markdown.")
tune_folds_option = count_option(
    "--tune-folds", "FOLDS", "Number of folds to evaluate each setting.", least=2, default=5
)
group_option = click.option(
    "--group", metavar="COLUMN", help="Keep rows of one group in the same fold; the column is not used for learning."
)
order_option = click.option(
    "--order",
    metavar="COLUMN",
    help="Every fold learns from earlier rows (by this column) and is tested on later ones.",
)


fold_options = OptionGroup(group_option, order_option)


class _CrossValidationOptions(OptionGroup):
    def split_off(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Remove the values and return them by the parameter names of `hornbeam.evaluate`."""
        given = super().split_off(arguments)
        return {"folds": given.pop("cv"), **given}


cross_validation_options = _CrossValidationOptions(
    count_option("--cv", "FOLDS", "Number of cross-validation folds.", least=2, default=10),
    count_option("--repeats", "TIMES", "Repeat cross-validation this many times.", default=1),
    seed_option,
    click.option(
        "--n-jobs",
        type=int,
        default=-1,
        metavar="N",
        help="Number of models to learn at the same time; the results are the same.  [default: -1, one per core]",
    ),
)
