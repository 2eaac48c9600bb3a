"""Options that come from a scheme's list of parameters.

`hornbeam learn` offers the options of the scheme it was given and no others: ``hornbeam learn --scheme id3 --help``
shows those of ID3, and an option of another scheme is refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.reading import READING_NAMES
from hornbeam.schemes import SCHEMES, Parameter, Scheme, find

if TYPE_CHECKING:
    from collections.abc import Sequence

NONE = "none"
PREFIX = "scheme__"  # keeps a scheme's parameters apart from the command's own
DEFAULT_SCHEME = "c45"
SCHEME = "hornbeam.scheme"  # where a command keeps the name of its scheme


class FigureType(click.ParamType[float | int | None]):
    """A number, whole or not, or ``none`` where the parameter may be left open."""

    def __init__(self, *, whole: bool, may_be_none: bool) -> None:
        self.whole, self.may_be_none = whole, may_be_none
        self.name = "integer" if whole else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | int | None:  # noqa: ANN401
        """Read what was typed."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        if self.may_be_none and value.lower() == NONE:
            return None
        try:
            return int(value)
        except ValueError:
            pass
        try:
            if not self.whole:
                return float(value)
        except ValueError:
            pass
        choice = f", or {NONE}" if self.may_be_none else ""
        return self.fail(f"{value!r} is not {'a whole number' if self.whole else 'a number'}{choice}", param, ctx)


def make_option(parameter: Parameter) -> click.Option:
    """Make the command-line option of one parameter; what is not typed stays out of the estimator's arguments."""
    name = parameter.option
    assert name is not None
    if parameter.kind == "switch":
        default = "on" if parameter.default else "off"
        declaration = f"{name}/--no-{name[2:]}"
        return click.Option(
            [PREFIX + parameter.name, declaration], default=None, help=f"{parameter.summary} [default: {default}]"
        )
    kind: click.ParamType[Any]
    if parameter.kind == "choice":
        kind = click.Choice([NONE if choice is None else str(choice) for choice in parameter.choices])
    else:
        kind = FigureType(whole=parameter.kind == "integer", may_be_none=parameter.default is None)
    default = NONE if parameter.default is None else str(parameter.default)
    metavar = None if parameter.kind == "choice" else ("N" if parameter.kind == "integer" else "X")
    return click.Option(
        [PREFIX + parameter.name, name],
        type=kind,
        metavar=metavar,
        default=None,
        help=f"{parameter.summary} [default: {default}]",
    )


def chosen(scheme: Scheme, context: click.Context) -> dict[str, Any]:
    """Give the parameters that were typed, as the estimator takes them."""
    typed: dict[str, Any] = {}
    for parameter in scheme.parameters:
        key = PREFIX + parameter.name
        if parameter.option is None or context.get_parameter_source(key) is not click.core.ParameterSource.COMMANDLINE:
            continue
        value = context.params[key]
        typed[parameter.name] = None if parameter.kind == "choice" and value == NONE else value
    return typed


class SchemeCommand(click.Command):
    """A command that takes the options of the scheme named by ``--scheme``."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Give the command's own options and those of the scheme."""
        return [*super().get_params(ctx), *_scheme_options(ctx)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse another scheme's option by saying whose it is."""
        ctx.meta[SCHEME] = _peek(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            typed = "--" + error.option_name.removeprefix("--no-").removeprefix("--")
            owners = [scheme.name for scheme in SCHEMES for p in scheme.parameters if p.option == typed]
            if owners:
                msg = (
                    f"{error.option_name} is no option of the scheme {ctx.meta[SCHEME]}; it belongs to "
                    f"{', '.join(owners)}"
                )
                raise click.UsageError(msg, ctx) from None
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options for reading, and those of the scheme, under headings of their own."""
        scheme = find(ctx.meta.get(SCHEME, DEFAULT_SCHEME))
        groups: dict[str, list[tuple[str, str]]] = {
            "Options": [],
            f"Options of {scheme.title} (--scheme {scheme.name})": [],
            "Reading DATA": [],
        }
        own, ours, reading = groups.values()
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or not isinstance(param, click.Option):
                continue
            name = str(param.name)
            (ours if name.startswith(PREFIX) else reading if name in READING_NAMES else own).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _scheme_options(ctx: click.Context) -> list[click.Option]:
    scheme = find(ctx.meta.get(SCHEME, DEFAULT_SCHEME))
    return [make_option(parameter) for parameter in scheme.parameters if parameter.option]


def _peek(args: Sequence[str]) -> str:
    """Find the scheme in a command line that is not parsed yet."""
    for place, word in enumerate(args):
        if word == "--":
            break
        for flag in ("--scheme", "-s"):
            if word == flag and place + 1 < len(args):
                return _known(args[place + 1])
            if word.startswith(flag + "="):
                return _known(word[len(flag) + 1 :])
    return DEFAULT_SCHEME


def _known(name: str) -> str:
    return name.lower() if any(scheme.name == name.lower() for scheme in SCHEMES) else DEFAULT_SCHEME
