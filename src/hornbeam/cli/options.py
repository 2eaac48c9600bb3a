"""Groups of options, and the options that several commands share.

Names of measures, styles and themes are listed here again, since `hornbeam.evaluate` and `hornbeam.show` need NumPy and
help must not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hornbeam.evaluate.measures import Measure

Command = TypeVar("Command", bound=Callable[..., Any])

STYLES = ("default", "ascii", "weka", "rpart", "if-then", "table", "describe")  # of a model as text
THEMES = ("auto", "light", "dark")  # of a picture
MEASURES: dict[str, Measure] = {  # by the names that are typed
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


class OptionGroup:
    """Options that belong together: it decorates a command, and takes their values out of the command's arguments.

    Parameters
    ----------
    *options : decorators
        As `click.option` gives them.
    """

    def __init__(self, *options: Callable[[Any], Any]) -> None:
        self.options = options

        def decorated() -> None: ...

        self.names: tuple[str, ...] = tuple(o.name for o in reversed(self(decorated).__click_params__))  # type: ignore[attr-defined]

    def __call__(self, command: Command) -> Command:
        """Add the options to a command."""
        for option in reversed(self.options):
            command = option(command)
        return command

    def split_off(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Take the values of these options out of a command's keyword arguments."""
        return {name: arguments.pop(name) for name in self.names}


def refuse_without(needed: str, given: dict[str, Any], names: tuple[str, ...]) -> None:
    """Refuse options that mean nothing without the option `needed`."""
    for name in names:
        if given[name] is not None and given[needed] is None:
            msg = f"--{name.replace('_', '-')} needs --{needed.replace('_', '-')}, which was not given"
            raise ValueError(msg)


def refuse_both(**given: Any) -> None:  # noqa: ANN401 - values of options
    """Refuse two options of which a command takes at most one."""
    first, second = given.items()
    if first[1] and second[1]:
        msg = f"--{first[0]} and --{second[0]} were given; expected one of them"
        raise ValueError(msg)


def names_in(typed: tuple[str, ...]) -> list[str]:
    """Give the names in the values of a repeatable option, each of which may hold several between commas."""
    return [name.strip() for words in typed for name in words.split(",") if name.strip()]


def measure_of(typed: str | None) -> Measure | None:
    """Give the measure that was typed, if any."""
    return None if typed is None else MEASURES[typed.lower()]


def file_option(*names: str, **settings: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - click's
    """Make an option for a file to write."""
    return click.option(*names, type=click.Path(dir_okay=False), metavar="FILE", **settings)


def count_option(
    name: str, metavar: str, text: str, *, least: int = 1, default: int | None = None
) -> Callable[[Any], Any]:
    """Make an option for a whole number of at least `least`."""
    kind, shown = click.IntRange(min=least), default is not None
    return click.option(name, type=kind, default=default, show_default=shown, metavar=metavar, help=text)


target_option = click.option(
    "-t", "--target", metavar="COLUMN", help="The column to predict. [default: the example's own, or the last column]"
)
seed_option = click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed for random choices such as folds."
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


class _CrossValidationOptions(OptionGroup):
    def split_off(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Take the values out, by the names that functions of `hornbeam.evaluate` have for them."""
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
        help="Number of models to learn at the same time.  [default: -1, one per core]",
    ),
)
