"""Options that come from a scheme's list of parameters.

`hornbeam learn` offers the options of the scheme it was given and no others: ``hornbeam learn --scheme id3 --help``
shows those of ID3, and an option of another scheme is refused by name. A scheme for classes and numbers offers the
options of both, and once the target is known those of the other kind are refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.reading import READING_NAMES
from hornbeam.schemes import ALL_SCHEMES, NAMES, SCHEMES, Parameter, Scheme, named
from hornbeam.schemes.clusters import CLUSTER_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.schemes import Predicts

NONE = "none"
PREFIX = "scheme__"  # keeps a scheme's parameters apart from the command's own
DEFAULT_SCHEME = "c45"
NUMBER_SCHEME = "cart"  # where nobody named a scheme and the target is a number
SCHEME = "hornbeam.schemes.scheme"  # where a command keeps the name of its scheme


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


# What follows an option that may be given repeatedly, and how it is told in help.
REPEATABLE: dict[str, tuple[tuple[Any, ...], str]] = {
    "costs": ((str, str, float), "TRUE PREDICTED X"),
    "figures": ((str, float), "NAME X"),
    "groups": ((str,), "NAME,NAME"),
    "words": ((str, str), "NAME WORD[:X...]"),
}


def make_option(parameter: Parameter, default: str | None = None) -> click.Option:
    """Make the command-line option of one parameter; what is not typed stays out of the estimator's arguments."""
    name = parameter.option
    assert name is not None
    declaration = [PREFIX + parameter.name, name]
    if parameter.kind == "switch":
        default = "on" if parameter.default else "off"
        declaration[1] = f"{name}/--no-{name[2:]}"
        return click.Option(declaration, default=None, help=f"{parameter.summary} [default: {default}]")
    if parameter.kind in REPEATABLE:
        types, metavar = REPEATABLE[parameter.kind]
        read: Any = types[0] if len(types) == 1 else types
        return click.Option(declaration, type=read, multiple=True, metavar=metavar, help=parameter.summary)
    kind: click.ParamType[Any]
    if parameter.kind == "choice":
        kind = click.Choice([NONE if choice is None else str(choice) for choice in parameter.choices])
    else:
        kind = FigureType(whole=parameter.kind == "integer", may_be_none=parameter.default is None)
    shown = default or _told(parameter.default)
    metavar = None if parameter.kind == "choice" else ("N" if parameter.kind == "integer" else "X")  # type: ignore[assignment]
    return click.Option(
        declaration, type=kind, metavar=metavar, default=None, help=f"{parameter.summary} [default: {shown}]"
    )


def _told(default: Any) -> str:  # noqa: ANN401 - a parameter's default
    return NONE if default is None else str(default)


def offered(name: str) -> list[tuple[Parameter, str | None]]:
    """Give the parameters that a scheme's name offers, with what help says of the default where that is not one."""
    found: dict[str, tuple[Parameter, str | None]] = {}
    for scheme in named(name):
        for parameter in scheme.parameters:
            before = found.get(parameter.name)
            if before is None:
                found[parameter.name] = (parameter, None)
            elif before[0] != parameter:
                one, more = before[0], tuple(c for c in parameter.choices if c not in before[0].choices)
                told = None
                if one.default != parameter.default:
                    told = f"{_told(one.default)}; for numbers {_told(parameter.default)}"
                found[parameter.name] = (replace(one, choices=(*one.choices, *more)), told)
    return [entry for entry in found.values() if entry[0].option]


def renamed(parameter: Parameter, scheme: str) -> Parameter:
    """A parameter whose option has the name of its scheme in front, such as ``--ripper-order``."""
    return replace(parameter, flag=f"{scheme}-{str(parameter.option).removeprefix('--')}")


def scheme_for(context: click.Context, name: str, target: str, predicts: Predicts) -> Scheme:
    """Give the scheme called `name` that predicts what the target holds; where nobody named one, one that does."""
    for scheme in named(name):
        if scheme.predicts == predicts:
            return scheme
    if context.get_parameter_source("scheme_name") is not click.core.ParameterSource.COMMANDLINE:
        return next(scheme for scheme in named(NUMBER_SCHEME) if scheme.predicts == predicts)
    others = ", ".join(dict.fromkeys(scheme.name for scheme in SCHEMES if scheme.predicts == predicts))
    holds, expects, read = (
        ("numeric", "categories", f"read it as categories (--nominal {target})")
        if predicts == "number"
        else ("nominal", "numbers", f"read it as numbers (--numeric {target})")
    )
    msg = f"the target {target!r} is {holds}, and the scheme {name} predicts {expects}: {read} or use --scheme {others}"
    raise ValueError(msg)


def chosen(scheme: Scheme, context: click.Context) -> dict[str, Any]:
    """Give the parameters that were typed, as the estimator takes them; refuse those that it does not take."""
    typed: dict[str, Any] = {}
    parameters = {parameter.name: parameter for parameter in scheme.parameters}
    options = {PREFIX + parameter.name: parameter for parameter, _ in offered(context.meta.get(SCHEME, scheme.name))}
    for key, value in context.params.items():
        if not key.startswith(PREFIX):
            continue
        if context.get_parameter_source(key) is not click.core.ParameterSource.COMMANDLINE:
            continue
        parameter = parameters.get(key.removeprefix(PREFIX))
        if parameter is None or parameter.option is None:
            kind = "categories" if scheme.predicts == "category" else "numbers"
            msg = f"{options[key].option} is no option of the scheme {scheme.name} where the target holds {kind}"
            raise click.UsageError(msg, context)
        typed[parameter.name] = _as_given(parameter, value)
    return typed


def _as_given(parameter: Parameter, value: Any) -> Any:  # noqa: ANN401 - as the estimator takes it
    if parameter.kind == "choice" and value == NONE:
        return None
    if parameter.kind == "figures":
        return {name: int(figure) if figure == int(figure) else figure for name, figure in value}
    if parameter.kind == "words":
        return {name: _word(parameter, typed) for name, typed in value}
    if parameter.kind == "costs":
        costs: dict[str, dict[str, float]] = {}
        for true, predicted, cost in value:
            costs.setdefault(true, {})[predicted] = cost
        return costs
    if parameter.kind == "groups":
        import csv

        return list(csv.reader(value, skipinitialspace=True))
    return value


def _word(parameter: Parameter, typed: str) -> tuple[Any, ...]:
    """A word and the figures behind it, as in ``log-odds:0:1``."""
    word, *figures = typed.split(":")
    try:
        return (word, *map(float, figures))
    except ValueError:
        msg = f"{parameter.option}: {typed!r} has something that is no number behind {word!r}"
        raise click.UsageError(msg) from None


class SchemeCommand(click.Command):
    """A command that takes the options of the scheme named by ``--scheme``."""

    default_scheme = DEFAULT_SCHEME  # empty: no options of any until one is named
    left_out: frozenset[str] = frozenset()  # parameters that the command has options of its own for

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Give the command's own options and those of the scheme; where both have one of a name, see `renamed`."""
        name = ctx.meta.get(SCHEME, self.default_scheme)
        of_scheme = offered(name) if name else []
        own = super().get_params(ctx)
        taken = {flag for option in own for flag in option.opts}
        kept = [(renamed(p, name) if p.option in taken else p, told) for p, told in of_scheme]
        return [*own, *(make_option(p, told) for p, told in kept if p.name not in self.left_out)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse another scheme's option by saying whose it is."""
        ctx.meta[SCHEME] = _peek(args, self.default_scheme)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            typed = "--" + error.option_name.removeprefix("--no-").removeprefix("--")
            owners = dict.fromkeys(
                scheme.name for scheme in ALL_SCHEMES for p in scheme.parameters if p.option == typed
            )
            owners.pop(ctx.meta[SCHEME], None)  # where the command has no use for the option
            if owners:
                asked = f"is no option of the scheme {ctx.meta[SCHEME]}" if ctx.meta[SCHEME] else "needs its --scheme"
                msg = f"{error.option_name} {asked}; it belongs to {', '.join(owners)}"
                raise click.UsageError(msg, ctx) from None
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options for reading, and those of the scheme, under headings of their own."""
        scheme = ctx.meta.get(SCHEME, self.default_scheme)
        of_scheme = f"Options of {named(scheme)[0].title} (--scheme {scheme})" if scheme else "Options of the scheme"
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], of_scheme: [], "Reading DATA": []}
        own, ours, reading = groups.values()
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or not isinstance(param, click.Option):
                continue
            name = str(param.name)
            (ours if name.startswith(PREFIX) else reading if name in READING_NAMES else own).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _peek(args: Sequence[str], default: str) -> str:
    """Find the scheme in a command line that is not parsed yet."""
    for place, word in enumerate(args):
        if word == "--":
            break
        for flag in ("--scheme", "-s"):
            if word == flag and place + 1 < len(args):
                return _known(args[place + 1], default)
            if word.startswith(flag + "="):
                return _known(word[len(flag) + 1 :], default)
    return default


def _known(name: str, default: str) -> str:
    return name.lower() if name.lower() in (*NAMES, *CLUSTER_NAMES) else default
