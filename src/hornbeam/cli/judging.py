"""Options of the commands that judge by cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hornbeam.cli.reading import Command

target_option = click.option(
    "-t", "--target", metavar="COLUMN", help="What to predict. [default: the example's own, or the last column]"
)
seed_option = click.option(
    "--seed", type=int, default=1, show_default=True, help="Of what is drawn at random, such as folds."
)
_OPTIONS = (
    click.option(
        "--cv",
        type=click.IntRange(min=2),
        default=10,
        show_default=True,
        metavar="FOLDS",
        help="Cross-validate with this many folds.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="TIMES",
        help="Deal rows to folds anew, this many times.",
    ),
    seed_option,
    click.option(
        "--n-jobs",
        type=int,
        default=-1,
        metavar="N",
        help="Models learned at the same time.  [default: -1, one a core]",
    ),
)


def judging_options(command: Command) -> Command:
    """Add the options of a cross-validation: `cv`, `repeats`, `seed` and `n_jobs`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
