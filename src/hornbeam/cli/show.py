"""`hornbeam show`: a saved model, read again, as text, as a picture, as JSON, or as a script for browsers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import STYLES, THEMES

if TYPE_CHECKING:
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree as TreeModel

FORMS = ("text", "svg", "json", "javascript", "space", "regions", "rules", "importance", "map", "parallel")
BY_ENDING = {
    ".svg": "svg",
    ".json": "json",
    ".js": "javascript",
}  # what a file's name asks for, where nothing else does


@click.command(short_help="Print or draw a saved model.")
@click.argument("model", metavar="MODEL", type=click.Path())
@click.option(
    "--as",
    "form",
    type=click.Choice(FORMS),
    help="Text; a picture of the tree, or of the rules (svg); nested JSON; a script for browsers that answers rows as "
    "predict does (javascript); or the plane of two columns, cut into the tree's rectangles, "
    "or with the rows that are kept (space; needs -o with a name ending in .png, .svg or .pdf); "
    "or what the model answers over two columns, with the rows of --data (regions), as SVG; "
    "or rules held against the rows of --data: coverage, "
    "lift, overlap, conditions that could go (rules); or a chart of the importance of a forest's columns (importance; "
    "needs -o); or clusters of the rows of --data on a plane (map) or as lines over all columns (parallel), as SVG.  "
    "[default: text, or as FILE ends]",
)
@click.option("--tree", type=click.IntRange(min=1), metavar="NUMBER", help="One tree of a forest, counted from 1.")
@click.option("--style", type=click.Choice(STYLES), help="How the tree is drawn as text.")
@click.option("--max-depth", type=click.IntRange(min=0), metavar="LEVELS", help="Draw no deeper.")
@click.option("--why", is_flag=True, help="Print how the tree came about, where the file tells; and runner-up splits.")
@click.option("--chance", is_flag=True, help="Tell how likely each split is to be chance (chi-square test).")
@click.option("--list-rows", is_flag=True, help="Of ib2, ib3, ib5: list the rows kept, and those dropped as noise.")
@click.option("--columns", nargs=2, metavar="ACROSS UP", help="The two columns of --as space and --as regions.")
@click.option("--data", "source", metavar="DATA", help="Rows to draw, or to hold rules against.")
@click.option("--theme", type=click.Choice(THEMES), help="Of a picture as SVG.  [default: auto, as the reader's page]")
@click.option(
    "--picture",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw the model there, as SVG; of a forest, the importance of its columns.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --as json.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write here, not to the terminal."
)
def show(
    model: str,
    form: str | None,
    tree: int | None,
    style: str | None,
    max_depth: int | None,
    why: bool,
    chance: bool,
    list_rows: bool,
    columns: tuple[str, str] | None,
    source: str | None,
    theme: str | None,
    picture: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Print or draw the model in the file MODEL."""
    from hornbeam.model.files.storage import load, read_calibration

    loaded = load(model) if tree is None else _member(load(model), tree)
    if picture is not None:
        form, output = _drawn(loaded, form, picture, output)
    form = _form(form, output, as_json=as_json)
    _refuse_what_does_not_fit(
        form, style=style, max_depth=max_depth, why=why, chance=chance, list_rows=list_rows, columns=columns,
        source=source, theme=theme,
    )  # fmt: skip
    if form == "importance":
        _draw_importance(loaded, output, theme)
    elif form == "space":
        _draw_space(loaded, columns, source, output)
    elif form == "regions":
        _write(_regions(loaded, columns, source, theme), output)
    elif form in ("map", "parallel"):
        _write(_clusters(loaded, form, source, theme), output)
    elif form == "rules":
        _write(_held_against(loaded, source), output)
    elif form == "json":
        from hornbeam.cli.output import without_controls
        from hornbeam.export import json
        from hornbeam.model.trees.tree import Tree

        leaves = read_calibration(model) if isinstance(loaded, Tree) else None
        written = json(loaded, chance=chance, calibration=leaves)
        _write(without_controls(written) if output is None and sys.stdout.isatty() else written, output)
    elif form == "javascript":
        from hornbeam.export import javascript

        _write(javascript(loaded, **({} if tree is not None else _decisions(model, loaded))).rstrip("\n"), output)
    elif form == "svg":
        _write(_svg(loaded, max_depth, source, theme, chance=chance), output)
    else:
        told = _text(model, loaded, style, max_depth, why=why, chance=chance, in_file=output is not None)
        _write(told + _listed(loaded) if list_rows else told, output)


def _member(loaded: Any, number: int) -> Any:  # noqa: ANN401 - what a file holds
    """One of the trees of a forest, or of the models that answer together."""
    from hornbeam.model.forests.ensemble import Ensemble
    from hornbeam.model.forests.forest import Forest

    if not isinstance(loaded, Forest | Ensemble):
        msg = f"--tree {number} was given; the file holds one model, not several"
        raise ValueError(msg)  # noqa: TRY004 - what the caller asked for, not a wrong type of ours
    count = loaded.n_trees if isinstance(loaded, Forest) else len(loaded.members)
    if number > count:
        msg = f"--tree {number} was given; the file holds trees 1 to {count}"
        raise ValueError(msg)
    return loaded.tree(number - 1) if isinstance(loaded, Forest) else loaded.members[number - 1]


def _decisions(path: str, loaded: Any) -> dict[str, Any]:  # noqa: ANN401 - what a file holds
    """The costs or the threshold by which the estimator that learned the model decides among classes."""
    from hornbeam.data.schema import Nominal
    from hornbeam.learn.base.decide import cost_matrix
    from hornbeam.model.files.storage import read_provenance

    column = None if loaded.schema.target is None else loaded.schema.target_column
    if not isinstance(column, Nominal):
        return {}
    asked = read_provenance(path).get("parameters", {})
    costs, threshold = asked.get("costs"), asked.get("decision_threshold")
    return {
        "costs": None if costs is None else cost_matrix(costs, column.categories),
        "decision_threshold": threshold,
    }


def _drawn(loaded: Any, form: str | None, picture: str, output: str | None) -> tuple[str, str]:  # noqa: ANN401 - what a file holds
    """What --picture draws, and where to."""
    from hornbeam.cli.output import check_picture
    from hornbeam.model.forests.forest import Forest

    if output is not None:
        msg = "--picture and -o were given; expected one of them"
        raise ValueError(msg)
    if form in ("text", "json", "javascript", "rules"):
        msg = f"--picture does not go with --as {form}"
        raise ValueError(msg)
    check_picture("--picture", picture)
    return form or ("importance" if isinstance(loaded, Forest) else "svg"), picture


def _svg(loaded: Any, max_depth: int | None, source: str | None, theme: str | None, *, chance: bool) -> str:  # noqa: ANN401 - what a file holds
    """The model as a picture; with rows, what they are in the nodes."""
    from hornbeam.cli.reading import read_like
    from hornbeam.show import svg

    table = None if source is None else read_like(loaded.schema, source)
    return svg(loaded, max_depth=max_depth, chance=chance, table=table, theme=theme or "auto")


def _regions(loaded: Any, columns: tuple[str, str] | None, source: str | None, theme: str | None) -> str:  # noqa: ANN401 - what a file holds
    """What the model answers over two columns."""
    if source is None:
        msg = "--as regions draws rows, and the plane around them; say which, with --data DATA"
        raise ValueError(msg)
    from hornbeam.cli.reading import read_like
    from hornbeam.show import decision_regions

    return decision_regions(loaded, read_like(loaded.schema, source), columns or (), theme=theme or "auto")


def _draw_importance(loaded: Any, output: str | None, theme: str | None) -> None:  # noqa: ANN401 - what a file holds
    from hornbeam.model.forests.forest import Forest

    if output is None:
        msg = "--as importance draws a picture; say where to, with -o FILE.png (or .svg, .pdf)"
        raise ValueError(msg)
    if not isinstance(loaded, Forest):
        msg = "--as importance is for forests; the file holds another model"
        raise ValueError(msg)  # noqa: TRY004 - as above
    if Path(output).suffix.lower() == ".svg":
        from hornbeam.show import importances

        _write(importances(loaded, theme=theme or "auto"), output)
        return
    if theme is not None:
        msg = "--theme is for pictures as SVG; the chart is drawn light"
        raise ValueError(msg)
    from hornbeam.show import plot

    plot.save(plot.importance(loaded), output)


def _form(form: str | None, output: str | None, *, as_json: bool) -> str:
    """What is asked for: by name, by the older switch, or by how the file is called."""
    if as_json:
        if form not in (None, "json"):
            msg = f"--json and --as {form} were given; expected one of them"
            raise ValueError(msg)
        return "json"
    return form or BY_ENDING.get(Path(output or "").suffix.lower(), "text")


def _refuse_what_does_not_fit(form: str, **given: Any) -> None:  # noqa: ANN401 - options of all kinds
    """Name an option that the form asked for has no use for, instead of passing over it."""
    fits = {
        "text": {"style", "max_depth", "why", "chance", "list_rows"},
        "svg": {"max_depth", "chance", "source", "theme"},
        "json": {"chance"},
        "javascript": set(),
        "space": {"columns", "source"},
        "regions": {"columns", "source", "theme"},
        "rules": {"source"},
        "importance": {"theme"},
        "map": {"source", "theme"},
        "parallel": {"source", "theme"},
    }
    flags = {"max_depth": "--max-depth", "source": "--data", "list_rows": "--list-rows"}
    for name, value in given.items():
        asked = value is not None and value is not False and value != ()
        if asked and name not in fits[form]:
            msg = f"{flags.get(name, f'--{name}')} does not go with --as {form}"
            raise ValueError(msg)


def _text(
    path: str,
    loaded: Any,  # noqa: ANN401 - a tree or a list of rules
    style: str | None,
    max_depth: int | None,
    *,
    why: bool,
    chance: bool,
    in_file: bool,
) -> str:
    from hornbeam import show as words
    from hornbeam.cli.output import tree_style
    from hornbeam.model.files.storage import read_calibration, read_trace

    chosen = (style or "default") if in_file else tree_style(style)
    leaves = read_calibration(path) if chosen in ("default", "ascii") else None
    told = words.text(loaded, style=chosen, max_depth=max_depth, chance=chance, calibration=leaves)
    if not why:
        return told
    trace = read_trace(path)
    if trace is None and getattr(loaded, "alternatives", None) is None and getattr(loaded, "surrogates", None) is None:
        msg = f"{path} does not tell how the tree came about; learn it with --why and save it again"
        raise ValueError(msg)
    return f"{told}\n\n{words.why(loaded if trace is None else trace)}"


def _listed(loaded: Any) -> str:  # noqa: ANN401 - what a file holds
    """The rows that were kept and dropped, below the text of the model."""
    from hornbeam.show.texts.neighbors import kept_rows_text

    return f"\n\n{kept_rows_text.write(loaded)}"


def _draw_space(
    loaded: TreeModel | RuleList, columns: tuple[str, str] | None, source: str | None, output: str | None
) -> None:
    if output is None:
        msg = "--as space draws a picture; say where to, with -o FILE.png (or .svg, .pdf)"
        raise ValueError(msg)
    from hornbeam.cli.reading import read_like
    from hornbeam.model.neighbors.instances import Instances
    from hornbeam.show import plot

    table = None if source is None else read_like(loaded.schema, source)
    draw = plot.kept_rows if isinstance(loaded, Instances) else plot.feature_space
    plot.save(draw(loaded, table, columns or ()), output)


def _clusters(loaded: Any, form: str, source: str | None, theme: str | None) -> str:  # noqa: ANN401 - what a file holds
    """Clusters as a picture of the rows."""
    from hornbeam.cli.reading import read_like
    from hornbeam.show import cluster_map, parallel_coordinates

    table = None if source is None else read_like(loaded.schema, source)
    return (cluster_map if form == "map" else parallel_coordinates)(loaded, table, theme=theme or "auto")


def _held_against(loaded: Any, source: str | None) -> str:  # noqa: ANN401 - what a file holds
    """Rules and what they do to rows."""
    from hornbeam.cli.reading import read_like
    from hornbeam.evaluate import rule_report
    from hornbeam.model.rules.rule import RuleList, rules_from_tree
    from hornbeam.model.trees.tree import Tree

    if source is None:
        msg = "--as rules holds rules against rows; say which, with --data DATA"
        raise ValueError(msg)
    rules = rules_from_tree(loaded) if isinstance(loaded, Tree) else loaded
    if not isinstance(rules, RuleList):
        msg = "--as rules is for rules and trees; the file holds another model"
        raise ValueError(msg)  # noqa: TRY004 - what the caller asked for, not a wrong type of ours
    return str(rule_report(rules, read_like(rules.schema, source)))


def _write(text: str, output: str | None) -> None:
    """Write to the terminal, or to a file, which is then whole or not there."""
    if output is None:
        click.echo(text)
        return
    from hornbeam.data.replacing import replacing

    with replacing(output) as file:
        file.write(f"{text}\n".encode())
