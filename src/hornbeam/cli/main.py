"""The command `hornbeam`: its subcommands, and how errors become one line and an exit code.

Exit codes: 0 success, 1 differences found by `check`, or an internal error, 2 wrong command or data, 130 interrupted.
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

from hornbeam.cli.options import from_environment, verbosity, verbosity_options, write_examples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PACKAGE = Path(__file__).parent.parent
SUCCESS, INTERNAL, WRONG, INTERRUPTED = 0, 1, 2, 130
GROUPS = {  # groups of commands in the help, in order of use
    "Start here": ("data", "learn", "report"),
    "Learn and evaluate": ("compare", "curve", "cluster", "schemes"),
    "Use a model": ("predict", "show", "export", "check", "import", "serve"),
    "Look closer": ("diff", "audit", "completion"),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
ELSEWHERE = {"import": ("export", "import_")}  # a command whose module and function have other names
OTHER_NAMES = {  # names that people type, and the command that does it here
    "tune": "learn --tune",
    "train": "learn",
    "fit": "learn",
    "explain": "predict --explain all",
    "classify": "predict",
    "score": "predict",
    "evaluate": "learn, which also evaluates",
    "describe": "data",
    "plot": "show -o FILE.svg",
    "draw": "show -o FILE.svg",
    "print": "show",
    "convert": "export",
    "models": "schemes",
    "help": "--help",
    "version": "--version",
}


class Commands(click.Group):
    """Subcommands, each imported when it is first used: the command ``x`` is the function `x` in `hornbeam.cli.x`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the subcommands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import a subcommand."""
        if cmd_name not in COMMANDS:
            return None
        module, function = ELSEWHERE.get(cmd_name, (cmd_name, cmd_name))
        command: click.Command = getattr(import_module(f"hornbeam.cli.{module}"), function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown name, suggest similar ones."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            if name.lower() in OTHER_NAMES:
                hint = f"use hornbeam {OTHER_NAMES[name.lower()]}"
            else:
                from hornbeam._names import similar

                close = similar(name, COMMANDS)
                hint = f"did you mean {' or '.join(close)}?" if close else "hornbeam --help lists the commands"
            msg = f"there is no command {name!r}; {hint}"
            raise click.UsageError(msg)
        return super().resolve_command(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description of the program, and examples."""
        from hornbeam.cli.shell.examples import START

        super().format_help_text(ctx, formatter)
        write_examples(formatter, START)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups."""
        wide = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl([(name.ljust(wide), one.get_short_help_str(120)) for name, one in commands if one])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, which are needed more often, and then the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="hornbeam COMMAND --help describes a command, with examples.",
    invoke_without_command=True,
    params=[*verbosity_options()],
)
@click.version_option(package_name="hornbeam")
@click.pass_context
def app(context: click.Context) -> None:
    """Readable machine learning for tables: learn a model, show it, evaluate it, use it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


from_environment(None, [option for option in app.params if option.name != "version"])


def run(arguments: Sequence[str] | None = None) -> int:
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
    color = False if os.environ.get("NO_COLOR") else None
    before = warnings.showwarning
    warnings.showwarning = _warn_in_one_line  # type: ignore[assignment]
    try:
        typed = None if arguments is None else list(arguments)
        code = app.main(args=typed, prog_name="hornbeam", standalone_mode=False, color=color)
    except click.ClickException as error:
        _print_error(error.format_message(), error)
        return WRONG
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
    return code if isinstance(code, int) else SUCCESS  # a command that ends with ctx.exit(code) gives the code


def _is_about_the_input(error: Exception) -> bool:
    """Whether an error is about a wrong command or wrong data, and not a bug in this program.

    Errors that this package raises with a `raise` statement are about the input. An error that Python or NumPy raises
    in one of our lines, such as an index out of range, is a bug, regardless of its type. A ValueError raised by another
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
    """Print one line on the error stream; for a wrong command line, add how to get help."""
    from hornbeam.cli.options import fitted
    from hornbeam.data.in_words import printable

    line = printable(" ".join(message.split()))
    context = getattr(error, "ctx", None)
    if context is not None:
        line = line.rstrip(".")
        line = line if line.endswith("?") else f"{line}."
        line = f"{line} See: {context.command_path} --help"
    click.echo(fitted(f"hornbeam: {line}", err=True), err=True)


def _warn_in_one_line(message: Warning | str, *_: object) -> None:
    if verbosity.quiet:
        return
    from hornbeam.cli.options import fitted
    from hornbeam.data.in_words import printable

    line = f"hornbeam: warning: {printable(' '.join(str(message).split()))}"
    click.echo(fitted(line, err=True), err=True)


def _make_output_safe() -> None:
    """Escape characters that the terminal's encoding cannot write, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(run())
