"""The command `hornbeam`: its subcommands, and one place where errors become one line and an exit code.

Exit codes: 0 done, 2 the command or the data was wrong, 130 interrupted, 1 a fault of the program itself.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hornbeam.cli.audit import audit
from hornbeam.cli.cluster import cluster
from hornbeam.cli.compare import compare
from hornbeam.cli.curve import curve
from hornbeam.cli.data import data
from hornbeam.cli.diff import diff
from hornbeam.cli.learn import learn
from hornbeam.cli.predict import predict
from hornbeam.cli.report import report
from hornbeam.cli.schemes import schemes
from hornbeam.cli.show import show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PACKAGE = Path(__file__).parent.parent
DONE, FAULT, WRONG, INTERRUPTED = 0, 1, 2, 130


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with: hornbeam learn weather, or hornbeam learn YOUR.csv --target COLUMN",
)
@click.version_option(package_name="hornbeam")
def app() -> None:
    """Readable machine learning for tables: learn a tree, read it, check it, use it."""


for _command in (learn, predict, show, compare, report, diff, curve, cluster, data, audit, schemes):
    app.add_command(_command)


def run(arguments: Sequence[str] | None = None) -> int:  # noqa: PLR0911 - one for each way to end
    """Run a command line and give the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; by default that of the process.

    Returns
    -------
    int
        The exit code.
    """
    _make_output_safe()
    before = warnings.showwarning
    warnings.showwarning = _warn_in_one_line  # type: ignore[assignment]
    try:
        app.main(args=None if arguments is None else list(arguments), prog_name="hornbeam", standalone_mode=False)
    except click.ClickException as error:
        _complain(error.format_message(), error)
        return WRONG
    except click.exceptions.Exit as request:
        return request.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("hornbeam: interrupted", err=True)
        return INTERRUPTED
    except MemoryError:
        _complain("there is not enough memory for this")
        return WRONG
    except Exception as error:
        if os.environ.get("HORNBEAM_TRACEBACK"):
            raise
        if _is_about_the_input(error):
            _complain(_in_words(error))
            return WRONG
        _complain(f"a fault of the program: {type(error).__name__}: {error} (HORNBEAM_TRACEBACK=1 shows where)")
        return FAULT
    finally:
        warnings.showwarning = before
    return DONE


def _is_about_the_input(error: Exception) -> bool:
    """Whether an error tells of a wrong command or wrong data, and not of a mistake in this program.

    Our own refusals are sentences after a `raise`. An error that Python or NumPy raises in one of our lines, such as
    an index out of range, is a mistake of ours, whatever its type; of what other packages raise, a ValueError is a
    refusal too.
    """
    if isinstance(error, OSError | ImportError):
        return True
    if not isinstance(error, ValueError | TypeError | LookupError) or type(error).__name__ == "LinAlgError":
        return False
    place = traceback.extract_tb(error.__traceback__)[-1]
    if Path(place.filename).is_relative_to(PACKAGE) and place.line:
        return place.line.startswith("raise ")
    return isinstance(error, ValueError)


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, KeyError) or not str(error):
        return f"{type(error).__name__}: {error}"
    return str(error)


def _complain(message: str, error: click.ClickException | None = None) -> None:
    """One line on the error stream, and where to look further for a wrong command line."""
    from hornbeam.show.texts.wording import printable

    line = printable(" ".join(message.split()))
    context = getattr(error, "ctx", None)
    if context is not None:
        line = f"{line.rstrip('.')}. See: {context.command_path} --help"
    click.echo(f"hornbeam: {line}", err=True)


def _warn_in_one_line(message: Warning | str, *_: object) -> None:
    from hornbeam.show.texts.wording import printable

    click.echo(f"hornbeam: warning: {printable(' '.join(str(message).split()))}", err=True)


def _make_output_safe() -> None:
    """Spell out what the terminal's encoding cannot write, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(run())
