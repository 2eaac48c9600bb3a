"""`hornbeam completion`: print a script for shell completion of commands, options, schemes and columns."""

from __future__ import annotations

import click

from hornbeam.cli.options import COMPLETE, Command

SHELLS = ("bash", "zsh", "fish")


@click.command(
    cls=Command,
    short_help="Print a script for completion in bash, zsh or fish.",
    epilog="\b\nTo use it in every new shell:\n"
    '  bash  add to ~/.bashrc:  eval "$(hornbeam completion bash)"\n'
    '  zsh   add to ~/.zshrc:   eval "$(hornbeam completion zsh)"\n'
    "  fish  run once:          hornbeam completion fish > ~/.config/fish/completions/hornbeam.fish",
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script with which SHELL completes commands, options, schemes, example sets and columns."""
    from click.shell_completion import ShellComplete, get_completion_class

    from hornbeam.cli.main import app

    kind = get_completion_class(shell)
    assert kind is not None
    # Click's class for bash would run bash to get its version.
    click.echo(ShellComplete.source(kind(app, {}, "hornbeam", COMPLETE)))
