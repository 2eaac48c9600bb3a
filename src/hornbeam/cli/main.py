"""The command `hornbeam`: its subcommands, and how errors become one line and an exit code.

Exit codes: 0 success, 1 internal error, 2 wrong command or data, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PACKAGE = Path(__file__).parent.parent
SUCCESS, INTERNAL, WRONG, INTERRUPTED = 0, 1, 2, 130
COMMANDS = ("learn", "predict", "show", "compare", "report", "diff", "curve", "cluster", "data", "audit", "schemes")


class Commands(click.Group):
    """Subcommands, each imported when it is first used: the command ``x`` is the function `x` in `hornbeam.cli.x`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Give the names of the subcommands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import a subcommand."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"hornbeam.cli.{cmd_name}"), cmd_name)
        return command


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with: hornbeam learn weather, or hornbeam learn YOUR.csv --target COLUMN",
)
@click.version_option(package_name="hornbeam")
def app() -> None:
    """Readable machine learning for tables: learn a model, show it, evaluate it, use it."""


def run(arguments: Sequence[str] | None = None) -> int:  # noqa: PLR0911 - one return per outcome
    """Run a command line and return the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after the program's name; by default those of the process.

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
        _print_error(error.format_message(), error)
        return WRONG
    except click.exceptions.Exit as request:
        return request.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("hornbeam: interrupted", err=True)
        return INTERRUPTED
    except MemoryError:
        _print_error("not enough memory")
        return WRONG
    except Exception as error:
        if os.environ.get("HORNBEAM_TRACEBACK"):
            raise
        if _is_about_the_input(error):
            _print_error(_message(error))
            return WRONG
        _print_error(f"internal error: {type(error).__name__}: {error} (set HORNBEAM_TRACEBACK=1 to see where)")
        return INTERNAL
    finally:
        warnings.showwarning = before
    return SUCCESS


def _is_about_the_input(error: Exception) -> bool:
    """Whether an error is about a wrong command or wrong data, and not a bug in this program.

    Errors that this package raises with a `raise` statement are about the input. An error that Python or NumPy raises
    in one of our lines, such as an index out of range, is a bug, whatever its type. A ValueError raised by another
    package is about the input too.
    """
    if isinstance(error, OSError | ImportError):
        return True
    if not isinstance(error, ValueError | TypeError | LookupError) or type(error).__name__ == "LinAlgError":
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    if Path(last.filename).is_relative_to(PACKAGE) and last.line:
        return last.line.startswith("raise ")
    return isinstance(error, ValueError)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, KeyError) or not str(error):
        return f"{type(error).__name__}: {error}"
    return str(error)


def _print_error(message: str, error: click.ClickException | None = None) -> None:
    """Print one line on the error stream; for a wrong command line, add where its help is."""
    from hornbeam.data.in_words import printable

    line = printable(" ".join(message.split()))
    context = getattr(error, "ctx", None)
    if context is not None:
        line = line.rstrip(".")
        line = line if line.endswith("?") else f"{line}."
        line = f"{line} See: {context.command_path} --help"
    click.echo(f"hornbeam: {line}", err=True)


def _warn_in_one_line(message: Warning | str, *_: object) -> None:
    from hornbeam.data.in_words import printable

    click.echo(f"hornbeam: warning: {printable(' '.join(str(message).split()))}", err=True)


def _make_output_safe() -> None:
    """Escape characters that the terminal's encoding cannot write, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(run())
