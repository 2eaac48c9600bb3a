"""`hornbeam show`: a saved model as text, as a picture, or in one of the formats of `hornbeam.export`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import STYLES, THEMES, Command, all_option, count_option, file_option, output_option
from hornbeam.export import FORMATS, Format

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Request:
    """What to show, and how.

    Attributes
    ----------
    path : str
        The model file.
    model : model
        The model in it, or one member of it.
    is_whole : bool
        Whether it is the whole model and not one member.
    form : str
        One of `FORMS`.
    output : str, optional
        The file to write to.
    options : dict
        The other options, by the names of their parameters.
    """

    path: str
    model: Any
    is_whole: bool
    form: str
    output: str | None
    options: dict[str, Any]

    def table(self) -> Any:  # noqa: ANN401 - a table
        """Read the rows of --data, with the kinds of the model's columns; None without --data."""
        from hornbeam.cli.reading import read_like

        source = self.options["source"]
        return None if source is None else read_like(self.model.schema, source)

    @property
    def theme(self) -> str:
        """The theme of a picture."""
        return self.options["theme"] or "auto"


@dataclass(frozen=True)
class Form:
    """One choice of --to: its line in the help, the options it uses, and the function that makes its text.

    A function that returns None has written the file itself. The endings are those of files it is written to.
    """

    summary: str
    options: tuple[str, ...]
    make: Callable[[Request], str | None]
    is_picture: bool = True
    endings: tuple[str, ...] = (".svg",)


def _exporter(one: Format) -> Callable[[Request], str | None]:
    """Return the function that writes a model in a format, with the format's options."""

    def write(request: Request) -> str | None:
        from hornbeam.cli.output import without_controls

        given = {"p_values": request.options["p_values"], "calibration": _calibration(request)}
        written = one.write(request.model, **{name: given[name] for name in one.options if name in given})
        if isinstance(written, bytes):
            if request.output is None:
                msg = f"the format {one.name} is binary; name a file with -o FILE{one.endings[0]}"
                raise ValueError(msg)
            _save(written, request.output)
            return None
        text = written.rstrip("\n")
        return without_controls(text) if request.output is None and sys.stdout.isatty() else text

    return write


def _calibration(request: Request) -> Any:  # noqa: ANN401 - a mapping, or None
    """The calibration of the leaves, if the file contains one tree."""
    from hornbeam.model.files.storage import read_calibration
    from hornbeam.model.trees.tree import Tree

    return read_calibration(request.path) if isinstance(request.model, Tree) else None


def _text(request: Request) -> str:
    from hornbeam import show as words
    from hornbeam.cli.output import room as output_room
    from hornbeam.cli.output import tree_style
    from hornbeam.model.files.storage import read_calibration, read_trace

    model, options, path = request.model, request.options, request.path
    style = (options["style"] or "default") if request.output is not None else tree_style(options["style"])
    leaves = read_calibration(path) if style in ("default", "ascii") else None
    room = words.Room() if request.output is not None else output_room()
    asked = {"max_depth": options["max_depth"], "p_values": options["p_values"]}
    text: str = words.text(model, style=style, calibration=leaves, room=room, **asked)
    if options["why"]:
        trace = read_trace(path)
        if (
            trace is None
            and getattr(model, "alternatives", None) is None
            and getattr(model, "surrogates", None) is None
        ):
            msg = f"{path} does not contain how the tree was learned; learn it again with --why and --save"
            raise ValueError(msg)
        text += f"\n\n{room.cut(words.why(model if trace is None else trace))}"
    if options["list_rows"]:
        from hornbeam.show.texts.neighbors.instances_text import list_rows

        text += f"\n\n{room.cut(list_rows(model))}"
    return text


def _svg(request: Request) -> str:
    from hornbeam.show import svg

    depth, p_values = request.options["max_depth"], request.options["p_values"]
    return svg(request.model, max_depth=depth, p_values=p_values, table=request.table(), theme=request.theme)


def _regions(request: Request) -> str:
    table = request.table()
    if table is None:
        msg = "--to regions needs rows to draw: add --data DATA"
        raise ValueError(msg)
    from hornbeam.show import decision_regions

    return decision_regions(request.model, table, request.options["columns"] or (), theme=request.theme)


def _clusters(request: Request) -> str:
    from hornbeam.show import cluster_map, parallel_coordinates

    draw = cluster_map if request.form == "map" else parallel_coordinates
    return draw(request.model, request.table(), theme=request.theme)


def _rules(request: Request) -> str:
    """The rules, evaluated on rows."""
    from hornbeam.evaluate import rule_report
    from hornbeam.model.rules.rule import RuleList, rules_from_tree
    from hornbeam.model.trees.tree import Tree

    model = request.model
    table = request.table()
    if table is None:
        msg = "--to rules needs rows to check the rules on: add --data DATA"
        raise ValueError(msg)
    rules = rules_from_tree(model) if isinstance(model, Tree) else model
    if not isinstance(rules, RuleList):
        msg = "--to rules is for rules and trees; the file contains another model"
        raise ValueError(msg)  # noqa: TRY004 - the caller's mistake, not a wrong type
    if table.schema.target is None:
        target = model.schema.target_column.name
        if target not in table.schema.names:
            msg = f"--to rules compares the rules with the target {target!r}, a column that --data DATA does not have"
            raise ValueError(msg)
        table = table.with_target(target)
    return str(rule_report(rules, table))


def _importance(request: Request) -> str | None:
    output = _picture_file(request)
    source, title = _importance_of(request.model)
    if Path(output).suffix.lower() == ".svg":
        from hornbeam.show import importances

        return importances(source, title=title, theme=request.theme)
    if request.options["theme"] is not None:
        msg = "--theme is for SVG pictures; this chart is always light"
        raise ValueError(msg)
    from hornbeam.show import plot

    plot.save(plot.importance(source), output)
    return None


def _importance_of(model: Any) -> tuple[Any, str | None]:  # noqa: ANN401 - any model
    """Return a forest, or the importance of each column of a tree; and a title if the first has none."""
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.trees.tree import Tree

    if isinstance(model, Forest):
        return model, None
    if not isinstance(model, Tree):
        msg = "--to importance is for trees and forests; the file contains another model"
        raise ValueError(msg)  # noqa: TRY004 - as above
    from hornbeam.data.in_words import printable
    from hornbeam.learn.trees.importance import importance

    gains = importance(model)
    names = [model.schema.names[place] for place in model.schema.features]
    shares = (gains / (gains.sum() or 1.0)).tolist()
    return dict(zip(names, shares, strict=True)), f"{printable(model.schema.name)}: importance of columns"


def _space(request: Request) -> None:
    from hornbeam.model.neighbors.instances import Instances
    from hornbeam.show import plot

    output = _picture_file(request)
    draw = plot.kept_rows if isinstance(request.model, Instances) else plot.feature_space
    plot.save(draw(request.model, request.table(), request.options["columns"] or ()), output)


def _picture_file(request: Request) -> str:
    if request.output is None:
        msg = f"--to {request.form} draws a picture; name its file with -o FILE.png (or .svg, .pdf)"
        raise ValueError(msg)
    return request.output


TEXTS = ".txt", ".text", ".md"
CHARTS = ".svg", ".png", ".pdf"
FORMS = {
    "text": Form(
        "the model as text",
        ("style", "max_depth", "why", "p_values", "list_rows"),
        _text,
        is_picture=False,
        endings=TEXTS,
    ),
    "svg": Form("a picture of the model; --data adds rows", ("max_depth", "p_values", "source", "theme"), _svg),
    **{
        one.name: Form(one.summary, one.options, _exporter(one), is_picture=False, endings=one.endings)
        for one in FORMATS
    },
    "space": Form(
        "the plane of two columns with the regions of a tree or the kept rows; needs -o FILE.png, .svg or .pdf",
        ("columns", "source"),
        _space,
        endings=CHARTS,
    ),
    "regions": Form(
        "what the model predicts over two columns, with the rows of --data; SVG",
        ("columns", "source", "theme"),
        _regions,
    ),
    "rules": Form(
        "rules evaluated on the rows of --data: coverage, lift, overlap, conditions to drop",
        ("source",),
        _rules,
        is_picture=False,
        endings=TEXTS,
    ),
    "importance": Form(
        "a chart of the importance of the columns of a tree or a forest; needs -o",
        ("theme",),
        _importance,
        endings=CHARTS,
    ),
    "map": Form("clusters of the rows of --data on a plane; SVG", ("source", "theme"), _clusters),
    "parallel": Form("clusters of the rows of --data as lines over all columns; SVG", ("source", "theme"), _clusters),
}
BY_ENDING = {
    ending: name for name in reversed(("text", "svg", *(one.name for one in FORMATS))) for ending in FORMS[name].endings
}


class ShowCommand(Command):
    """The command `show`, which takes two columns as ``--columns X,Y`` or ``--columns X Y``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; two columns with a comma between them are split."""
        return super().parse_args(ctx, _with_two_columns(args))


def _with_two_columns(args: list[str]) -> list[str]:
    place = next((k for k, word in enumerate(args) if word.partition("=")[0] == "--columns"), None)
    if place is None:
        return args
    _, equals, value = args[place].partition("=")
    before, after = [*args[:place], "--columns"], args[place + 1 :]
    if not equals:
        is_given = bool(after) and not after[0].startswith("-")  # else the next option
        value, after = (after[0], after[1:]) if is_given else ("", after)
        if is_given and after and not after[0].startswith("-"):
            _check_two([value, after[0]], value)
            return args  # two words
    names = value.split(",")
    _check_two(names, value)
    return [*before, *names, *after]


def _check_two(names: list[str], typed: str) -> None:
    if len(names) != 2:  # noqa: PLR2004 - the columns of a plane
        found = f"{typed!r}" if typed else "nothing"
        msg = f"--columns needs two columns, such as --columns width,height; found {found}"
        raise click.UsageError(msg)
    if names[0] == names[1]:
        msg = f"--columns names {names[0]!r} twice; expected two columns, such as --columns width,height"
        raise click.UsageError(msg)


@click.command(
    cls=ShowCommand,
    short_help="Print or draw a saved model.",
    epilog="\b\nChoices of --to:\n" + "\n".join(f"  {name:<12}{form.summary}" for name, form in FORMS.items()),
)
@click.argument("model", metavar="MODEL", type=click.Path())
@click.option(
    "--to",
    "form",
    type=click.Choice(tuple(FORMS)),
    help="The output; see below.  [default: text, or by the ending of FILE]",
)
@count_option("--tree", "NUMBER", "One tree of a forest, counted from 1.")
@click.option("--style", type=click.Choice(STYLES), help="How to print the tree.")
@count_option("--max-depth", "LEVELS", "Maximum depth to show.", least=0)
@click.option("--why", is_flag=True, help="Print how the tree was learned, if the file has it; and runner-up splits.")
@click.option("--p-values", is_flag=True, help="Print the p-value of each split (chi-square test).")
@click.option("--list-rows", is_flag=True, help="For ib2, ib3, ib5: list the rows kept, and those dropped as noise.")
@click.option("--columns", nargs=2, metavar="X,Y", help="The two columns of --to space and --to regions.")
@click.option("--data", "source", metavar="DATA", help="Rows to draw, or to check rules on.")
@click.option("--theme", type=click.Choice(THEMES), help="Theme of an SVG picture.  [default: auto, follows the page]")
@all_option
@file_option("--picture", help="Draw the model to this file (.svg); for a forest, the feature importances.")
@click.option("--json", "as_json", is_flag=True, help="The same as --to json.")
@output_option
def show(
    model: str,
    form: str | None,
    tree: int | None,
    picture: str | None,
    as_json: bool,
    output: str | None,
    **options: Any,  # noqa: ANN401 - those that some forms use
) -> None:
    """Print or draw the model in the file MODEL."""
    from hornbeam.model.files.storage import load

    loaded = load(model) if tree is None else _member(load(model), tree)
    if picture is not None:
        form, output = _drawn(loaded, form, picture, output)
    typed, form = form, _form(form, output, as_json=as_json)
    _check_options(form, options, is_typed=typed is not None or as_json)
    text = FORMS[form].make(Request(model, loaded, tree is None, form, output, options))
    if text is not None:
        _write(text, output)


def _member(loaded: Any, number: int) -> Any:  # noqa: ANN401 - what a file holds
    """One tree of a forest, or one member of an ensemble."""
    from hornbeam.model.forests.ensemble import Ensemble
    from hornbeam.model.forests.forest import Forest

    if not isinstance(loaded, Forest | Ensemble):
        msg = f"--tree {number} was given; the file contains only one model"
        raise ValueError(msg)  # noqa: TRY004 - the caller's mistake, not a wrong type
    count = loaded.n_trees if isinstance(loaded, Forest) else len(loaded.members)
    if number > count:
        msg = f"--tree {number} was given; the file contains trees 1 to {count}"
        raise ValueError(msg)
    return loaded.tree(number - 1) if isinstance(loaded, Forest) else loaded.members[number - 1]


def _drawn(loaded: Any, form: str | None, picture: str, output: str | None) -> tuple[str, str]:  # noqa: ANN401 - what a file holds
    """What --picture draws, and into which file."""
    from hornbeam.cli.output import check_picture
    from hornbeam.model.forests.forest import Forest

    if output is not None:
        msg = "--picture and -o were given; expected one of them"
        raise ValueError(msg)
    if form is not None and not FORMS[form].is_picture:
        msg = f"--picture cannot be used with --to {form}"
        raise ValueError(msg)
    check_picture("--picture", picture)
    return form or ("importance" if isinstance(loaded, Forest) else "svg"), picture


def _form(form: str | None, output: str | None, *, as_json: bool) -> str:
    """What to show: by --to, by --json, or by the ending of the file, which must be one of the form's."""
    if as_json:
        if form not in (None, "json"):
            msg = f"--json and --to {form} were given; expected one of them"
            raise ValueError(msg)
        form = "json"
    if output is None:
        return form or "text"
    ending = Path(output).suffix.lower()
    if form is None and ending in BY_ENDING:
        return BY_ENDING[ending]
    if form is None:
        known = ", ".join(f"{end} ({name})" for end, name in sorted(BY_ENDING.items()))
        msg = f"-o {output}: a model is not written to {ending or 'a file without an ending'}; expected one of {known}"
        raise ValueError(msg)
    if ending and ending not in (FORMS[form].endings or TEXTS):
        msg = f"-o {output}: --to {form} is written to {' or '.join(FORMS[form].endings or TEXTS)}, not to {ending}"
        raise ValueError(msg)
    return form


def _check_options(form: str, options: dict[str, Any], *, is_typed: bool) -> None:
    """Raise an error for an option that the form does not use: name the form if it was typed, or else those with it."""
    flags = {"source": "--data"}
    for name, value in options.items():
        is_given = value is not None and value is not False and value != ()
        if is_given and name not in FORMS[form].options:
            flag = flags.get(name, f"--{name.replace('_', '-')}")
            *first, last = (other for other, one in FORMS.items() if name in one.options)
            users = f"{', '.join(first)} or {last}" if first else last
            msg = f"{flag} cannot be used with --to {form}" if is_typed else f"{flag} needs --to {users}"
            raise ValueError(msg)


def _write(text: str, output: str | None) -> None:
    """Write to the terminal, or to a file, completely or not at all."""
    if output is None:
        click.echo(text)
        return
    _save(f"{text}\n".encode(), output)


def _save(data: bytes, output: str) -> None:
    from hornbeam.data.replacing import replacing

    with replacing(output) as file:
        file.write(data)
