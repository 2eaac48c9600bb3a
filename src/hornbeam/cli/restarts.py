"""`hornbeam cluster --restarts`: how runs from many starts end, instead of one set of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.table import Table

NAMES = ("restarts", "restarts_picture")


def restart_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about restarts to a command."""
    options = [
        click.option(
            "--restarts",
            type=click.IntRange(min=1),
            metavar="N",
            help="Tell how N runs from other starts (orders of rows, for cobweb) end, instead of clusters.",
        ),
        click.option(
            "--restarts-picture", type=click.Path(dir_okay=False), metavar="FILE", help="Draw how they end (.svg)."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def split_off(options: dict[str, Any]) -> dict[str, Any]:
    """Take what is about restarts out of a command's options."""
    return {name: options.pop(name) for name in NAMES}


def check(wishes: dict[str, Any], *, save: str | None, labels: bool) -> None:
    """Refuse before the work what could not be done after it."""
    from hornbeam.cli.output import check_picture

    path = wishes["restarts_picture"]
    if wishes["restarts"] is None:
        if path is not None:
            msg = "--restarts-picture goes with --restarts, which was not given"
            raise ValueError(msg)
        return
    if save or labels:
        msg = (
            f"--restarts tells of many runs, and {'--save' if save else '--labels'} is about one; leave out one of them"
        )
        raise ValueError(msg)
    if path is not None:
        check_picture("--restarts-picture", path)


def tell(estimator: Any, table: Table, wishes: dict[str, Any], *, seed: int, theme: str, as_json: bool) -> None:  # noqa: ANN401 - any estimator of clusters
    """Run, draw what was asked for, and write what was found."""
    from hornbeam.cli.output import progress_bar, write_json, write_picture
    from hornbeam.evaluate import restarts

    jobs = getattr(estimator, "n_jobs", None)
    with progress_bar("restarts", shown=not as_json) as progress:
        found = restarts(estimator, table, wishes["restarts"], random_state=seed, n_jobs=jobs, progress=progress)
    if wishes["restarts_picture"] is not None:
        write_picture(wishes["restarts_picture"], found.svg(theme))
    if as_json:
        write_json(found.to_json())
    else:
        click.echo(found.text())
