"""Options that come from a scheme's list of parameters.

`hornbeam learn` offers only the options of the scheme that was named: ``hornbeam learn --scheme id3 --help``
shows those of ID3, and an option of another scheme is an error with a hint. A scheme for both classes and numbers
offers the options of both; those that do not fit are an error once the target is known.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import Command, from_environment, is_given
from hornbeam.cli.reading import reading_options
from hornbeam.schemes import ALL_SCHEMES, NAMES, SCHEMES, Parameter, Scheme, hint, named
from hornbeam.schemes.clusters import CLUSTER_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.data.schema import Column
    from hornbeam.schemes import Predicts

NONE = "none"
PREFIX = "scheme__"  # prefix of a scheme's options in the command's arguments
WITH_NO = ("header",)  # options for reading that have a form with --no-
DEFAULT_SCHEME = "c45"
OTHER_NAMES = {
    "--folds": "--cv",
    "--repetitions": "--repeats",
    "--jobs": "--n-jobs",
}  # other names of options, and ours
NUMBER_SCHEME = "cart"  # the default scheme for a numeric target
SCHEME = "hornbeam.schemes.scheme"  # key of the scheme's name in click's context


class SchemeChoice(click.Choice[str]):
    """The name of a scheme; an error suggests similar names."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401, ARG002 - click's
        """Write the message about a wrong name."""
        return f"no scheme is called {value!r}; {hint(str(value), tuple(self.choices))}"


def scheme_option(names: Sequence[str], default: str, text: str, *, show_default: bool = True) -> Callable[[Any], Any]:
    """Make an option for the name of a scheme."""
    kind = SchemeChoice(names, case_sensitive=False)
    flags = "-s", "--scheme", "scheme_name"
    return click.option(*flags, type=kind, metavar="NAME", default=default, show_default=show_default, help=text)


learner_option = scheme_option(
    NAMES,
    DEFAULT_SCHEME,
    f"The learning algorithm; see hornbeam schemes. [default: {DEFAULT_SCHEME}; {NUMBER_SCHEME} for a numeric target]",
    show_default=False,
)


class NumberType(click.ParamType[float | int | None]):
    """A number, whole or not, or ``none`` where the parameter may be None."""

    def __init__(self, *, whole: bool, may_be_none: bool) -> None:
        self.whole, self.may_be_none = whole, may_be_none
        self.name = "integer" if whole else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | int | None:  # noqa: ANN401
        """Convert the value."""
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


# The values of an option that may be given repeatedly, and how help shows them.
REPEATABLE: dict[str, tuple[tuple[Any, ...], str]] = {
    "costs": ((str, str, float), "TRUE PREDICTED X"),
    "figures": ((str, float), "NAME X"),
    "groups": ((str,), "NAME,NAME"),
    "words": ((str, str), "NAME WORD[:X...]"),
}


def make_option(parameter: Parameter, default: str | None = None) -> click.Option:
    """Make the command-line option of one parameter; options that are not given are not passed to the estimator."""
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
        kind = NumberType(whole=parameter.kind == "integer", may_be_none=parameter.default is None)
    shown = default or default_text(parameter.default)
    metavar = None if parameter.kind == "choice" else ("N" if parameter.kind == "integer" else "X")  # type: ignore[assignment]
    return click.Option(
        declaration, type=kind, metavar=metavar, default=None, help=f"{parameter.summary} [default: {shown}]"
    )


def default_text(default: Any) -> str:  # noqa: ANN401 - a parameter's default
    """Write a parameter's default as it would be typed."""
    return NONE if default is None else str(default)


def offered(name: str) -> list[tuple[Parameter, str | None]]:
    """Return the parameters of all schemes with a name, and the text of the defaults if they differ."""
    merged: dict[str, tuple[Parameter, str | None]] = {}
    for scheme in named(name):
        for parameter in scheme.parameters:
            before = merged.get(parameter.name)
            if before is None:
                merged[parameter.name] = (parameter, None)
            elif before[0] != parameter:
                one, more = before[0], tuple(c for c in parameter.choices if c not in before[0].choices)
                text = None
                if one.default != parameter.default:
                    text = f"{default_text(one.default)}; for numbers {default_text(parameter.default)}"
                merged[parameter.name] = (replace(one, choices=(*one.choices, *more)), text)
    return [entry for entry in merged.values() if entry[0].option]


def renamed(parameter: Parameter, scheme: str) -> Parameter:
    """Return a parameter whose option starts with the scheme's name, such as ``--ripper-order``."""
    return replace(parameter, flag=f"{scheme}-{str(parameter.option).removeprefix('--')}")


def predicts_of(target: Column) -> Predicts:
    """Return the kind of prediction for this target column."""
    from hornbeam.data.schema import Nominal

    return "category" if isinstance(target, Nominal) else "number"


def scheme_for(context: click.Context, name: str, target: Column) -> Scheme:
    """Return the scheme called `name` that predicts this target; if none was named, the default for the target."""
    predicts = predicts_of(target)
    for scheme in named(name):
        if scheme.predicts == predicts:
            return scheme
    if not is_given(context, "scheme_name"):
        return next(scheme for scheme in named(NUMBER_SCHEME) if scheme.predicts == predicts)
    others = ", ".join(dict.fromkeys(scheme.name for scheme in SCHEMES if scheme.predicts == predicts))
    is_now, expected, read = (
        ("numeric", "categories", f"read it as categories (--nominal {target.name})")
        if predicts == "number"
        else ("nominal", "numbers", f"read it as numbers (--numeric {target.name})")
    )
    msg = (
        f"the target {target.name!r} is {is_now}, and the scheme {name} predicts {expected}: {read} or use "
        f"--scheme {others}"
    )
    raise ValueError(msg)


def chosen(scheme: Scheme, context: click.Context) -> dict[str, Any]:
    """Return the given parameters for the estimator; raise an error for those that it does not have."""
    typed: dict[str, Any] = {}
    parameters = {parameter.name: parameter for parameter in scheme.parameters}
    options = {PREFIX + parameter.name: parameter for parameter, _ in offered(context.meta.get(SCHEME, scheme.name))}
    for key, value in context.params.items():
        if not key.startswith(PREFIX) or not is_given(context, key):
            continue
        parameter = parameters.get(key.removeprefix(PREFIX))
        if parameter is None or parameter.option is None:
            kind = "nominal" if scheme.predicts == "category" else "numeric"
            msg = f"{options[key].option} is not an option of the scheme {scheme.name} for a {kind} target"
            raise click.UsageError(msg, context)
        typed[parameter.name] = _as_given(parameter, value)
    return typed


def _as_given(parameter: Parameter, value: Any) -> Any:  # noqa: ANN401 - as the estimator takes it
    if parameter.kind == "choice" and value == NONE:
        return None
    if parameter.kind == "figures":
        return {name: int(number) if number == int(number) else number for name, number in value}
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
    """Read a word and the numbers after it, as in ``log-odds:0:1``."""
    word, *numbers = typed.split(":")
    try:
        return (word, *map(float, numbers))
    except ValueError:
        msg = f"{parameter.option}: {typed!r} has text that is not a number after {word!r}"
        raise click.UsageError(msg) from None


def typed(reading: dict[str, Any]) -> list[str]:
    """Return the options for reading as they were typed."""
    words: list[str] = []
    for name, value in reading.items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words += [f"--{option}"] if value else [f"--no-{option}"] if name in WITH_NO else []
            continue
        for one in value if isinstance(value, tuple) else [value] if value is not None else []:
            words += [f"--{option}", str(one)]
    return words


def typed_of_scheme(context: click.Context) -> list[str]:
    """Return the options of the scheme as they were typed."""
    words: list[str] = []
    for option in context.command.get_params(context):
        value = context.params.get(option.name or "")
        if not str(option.name).startswith(PREFIX) or value is None or value == ():
            continue
        if value is False:
            words.append(option.secondary_opts[0])
            continue
        for one in value if option.multiple else [value]:
            words += [option.opts[0], *(() if one is True else map(str, one) if isinstance(one, tuple) else [str(one)])]
    return words


class SchemeCommand(Command):
    """A command with the options of the scheme named by ``--scheme``."""

    default_scheme = DEFAULT_SCHEME  # empty: no options of a scheme unless one is named
    left_out: frozenset[str] = frozenset()  # parameters that are not options of this command

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options and those of the scheme, `renamed` where both have the same name."""
        name = ctx.meta.get(SCHEME, self.default_scheme)
        of_scheme = offered(name) if name else []
        own = super().get_params(ctx)
        taken = {flag for option in own for flag in option.opts}
        kept = [(renamed(p, name) if p.option in taken else p, default) for p, default in of_scheme]
        ours = [make_option(p, default) for p, default in kept if p.name not in self.left_out]
        from_environment(self.name, ours)
        return [*own, *ours]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with the options of the scheme that they name."""
        ctx.meta[SCHEME] = _peek(args, self.name, self.default_scheme)
        return super().parse_args(ctx, args)

    def unknown_option(self, ctx: click.Context, typed: str) -> str:
        """Raise an error for an unknown option: name the schemes that have it, or suggest similar options."""
        flag = "--" + typed.removeprefix("--no-").removeprefix("--")
        own = OTHER_NAMES.get(flag)
        if own is not None and any(own in option.opts for option in self.get_params(ctx)):
            return f"{typed} is not an option of {ctx.command_path}; use {own}"
        owners = dict.fromkeys(scheme.name for scheme in ALL_SCHEMES for p in scheme.parameters if p.option == flag)
        owners.pop(ctx.meta[SCHEME], None)  # if the command does not offer the option
        if owners:
            scheme = ctx.meta[SCHEME]
            reason = f"is not an option of the scheme {scheme}" if scheme else "needs --scheme"
            return f"{typed} {reason}; schemes with this option: {', '.join(owners)}"
        told = super().unknown_option(ctx, typed)
        return told if told.endswith("?") else told + _of_other_schemes(flag)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options for reading and those of the scheme under separate headings."""
        scheme = ctx.meta.get(SCHEME, self.default_scheme)
        of_scheme = f"Options of {named(scheme)[0].title} (--scheme {scheme})" if scheme else "Options of the scheme"
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], of_scheme: [], "Reading DATA": []}
        own, ours, reading = groups.values()
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or not isinstance(param, click.Option):
                continue
            name = str(param.name)
            (ours if name.startswith(PREFIX) else reading if name in reading_options.names else own).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _of_other_schemes(typed: str) -> str:
    """Write which option of other schemes a mistyped one may mean, and the schemes that have it."""
    from hornbeam._names import listed, similar

    schemes: dict[str, dict[str, None]] = {}
    for scheme in ALL_SCHEMES:
        for parameter in scheme.parameters:
            if parameter.option is not None:
                schemes.setdefault(parameter.option, {})[scheme.name] = None
    close = similar(typed, schemes)
    if not close:
        return ""
    return "; did you mean " + " or ".join(f"{one} (schemes {listed(schemes[one])})" for one in close) + "?"


def _peek(args: Sequence[str], command: str | None, default: str) -> str:
    """Find the scheme's name in a command line before it is parsed, or in the environment."""
    for index, word in enumerate(args):
        if word == "--":
            break
        for flag in ("--scheme", "-s"):
            if word == flag and index + 1 < len(args):
                return _known(args[index + 1], default)
            if word.startswith(flag + "="):
                return _known(word[len(flag) + 1 :], default)
    return _known(os.environ.get(f"HORNBEAM_{(command or '').upper()}_SCHEME", default), default)


def _known(name: str, default: str) -> str:
    return name.lower() if name.lower() in (*NAMES, *CLUSTER_NAMES) else default
