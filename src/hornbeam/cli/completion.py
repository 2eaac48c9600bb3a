"""`hornbeam completion`: print a script for shell completion of commands, options, schemes and columns."""

from __future__ import annotations

import click

from hornbeam.cli.options import COMPLETE, Command

SHELLS = ("bash", "zsh", "fish")
# Click's script for bash offers no example sets where files fit too, and does not quote names with spaces.
BASH = """\
_hornbeam_completion() {
    local IFS=$'\\n' line file
    COMPREPLY=()
    for line in $(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(variable)s=bash_complete "$1"); do
        case $line in
            file,*) file=${line#file,} ;;
            plain,*) COMPREPLY+=("$(printf %%q "${line#plain,}")") ;;
        esac
    done
    if [[ -v file && -z ${COMPREPLY[*]} ]]; then
        compopt -o default
    elif [[ -v file ]]; then
        compopt -o filenames
        COMPREPLY+=($(compgen -f -- "$file"))
    fi
}
complete -o nosort -F _hornbeam_completion hornbeam
"""


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
    from click.shell_completion import get_completion_class

    from hornbeam.cli.main import app

    if shell == "bash":
        click.echo(BASH % {"variable": COMPLETE})
        return
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(app, {}, "hornbeam", COMPLETE).source())
