"""`hornbeam.show.text`: a model as text, in one of several styles."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from hornbeam._display import Text, settings
from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.show.texts.wording import NAME_LIMIT, printable

STYLES = ("default", "ascii", "weka", "weka-binary", "weka-id3", "rpart", "if-then", "table", "describe")

LAST_LINES = 3  # last lines that are kept when a text is cut: they are a summary

# The function that writes a model of a kind (`hornbeam.model.files.members`), given the model and a `Request`. Its
# module is imported when a model needs it, so that writing a tree does not import the other families.
WRITERS: dict[str, str] = {
    "tree": "trees.indented.in_style",
    "rules": "rules.rule_list.in_style",
    "linear": "linear.linear_text.in_style",
    "discretized": "linear.linear_text.intervals_in_style",
    "forest": "forests.forest_text.forest_in_style",
    "ensemble": "forests.forest_text.ensemble_in_style",
    "instances": "neighbors.instances_text.in_style",
    "kstar": "neighbors.instances_text.in_style",
    "local": "neighbors.instances_text.in_style",
    "local-learner": "neighbors.instances_text.in_style",
    "exemplars": "neighbors.instances_text.in_style",
    "corrected": "neighbors.instances_text.corrected_in_style",
    "svm": "svm.svm_text.in_style",
    "partition": "clusters.clusters_text.in_style",
    "mixture": "clusters.clusters_text.in_style",
    "concepts": "clusters.clusters_text.in_style",
    "projected": "clusters.clusters_text.in_style",
    "dendrogram": "clusters.clusters_text.in_style",
    "graph-clusters": "clusters.clusters_text.in_style",
    "several": "several.in_style",
}


@dataclass(frozen=True)
class Room:
    """The space available for a text.

    Attributes
    ----------
    lines : int, optional
        The maximum number of lines of a model; None for no limit.
    columns : int, optional
        The width of a line of a tree; None for no limit.
    more : str
        Words after the count of what was left out, such as how to see it.
    """

    lines: int | None = None
    columns: int | None = None
    more: str = ""

    @property
    def of_a_part(self) -> Room:
        """The space for a part of a text: only its width."""
        return replace(self, lines=None)

    def left_out(self, count: int, word: str, *, plain: bool = False) -> str:
        """Write how much was left out, and how to see it; `plain`: in ASCII."""
        text = plural(count, f"more {word}")
        return f"{'...' if plain else '…'} {text}{'; ' if self.more else ''}{self.more}"

    def cut(self, text: str, *, plain: bool = False) -> str:
        """Cut a long text, but keep its last lines, which are a summary."""
        lines = text.split("\n")
        if self.lines is None or len(lines) <= self.lines:
            return text
        first = max(self.lines - LAST_LINES - 1, 1)
        note = self.left_out(len(lines) - first - LAST_LINES, "line", plain=plain)
        return "\n".join([*lines[:first], note, *lines[-LAST_LINES:]])


@dataclass(frozen=True)
class Request:
    """How a model is to be written: a style, and the options of trees."""

    style: str
    max_depth: int | None = None
    p_values: bool = False
    room: Room = field(default_factory=Room)

    @property
    def plain(self) -> bool:
        """Whether to write without box characters."""
        return self.style == "ascii"

    @property
    def has_options(self) -> bool:
        """Whether an option of trees was given."""
        return self.max_depth is not None or self.p_values

    def expect(self, kind: str, styles: tuple[str, ...], *, options: bool | None = None) -> None:
        """Raise an error for a style that a kind of model does not have, and for options of trees."""
        if self.style not in styles or (self.has_options if options is None else options):
            expected = ", ".join(map(repr, styles))
            msg = f"{kind} can be printed in these styles: {expected}; max_depth and p_values are only for trees"
            raise ValueError(msg)

    def text(self, model: Any) -> str:  # noqa: ANN401 - any model
        """Write another model, such as a part of the first one, in the same way."""
        return text(model, self.style, max_depth=self.max_depth, p_values=self.p_values, room=self.room.of_a_part)


def text(
    model: Any,  # noqa: ANN401 - dispatches on it
    style: str = "default",
    *,
    max_depth: int | None = None,
    p_values: bool = False,
    calibration: Any = None,  # noqa: ANN401 - a result, or what it holds
    stability: Any = None,  # noqa: ANN401 - the same
    room: Room | None = None,
) -> Text:
    """Write a model for people to read.

    Parameters
    ----------
    model : Tree, RuleList, LinearModel, DiscretizedModel, Ensemble, Forest, Clustering or fitted estimator
        What to write; for an estimator, its `model_`. A linear model has the styles default, ascii and weka; a forest
        (its size and the importance of its columns; ``forest.tree(i)`` is a tree to write) default and ascii. A result
        of `hornbeam.distill` is written with its fidelity.
    style : str
        ``"default"``: tree lines, and the leaves' class, weight and errors in columns. ``"ascii"``: the same without
        box characters. ``"weka"``: the classic layout, ``petalwidth <= 0.6: Iris-setosa (50.0)``, chosen to fit the
        tree; ``"weka-binary"`` and ``"weka-id3"`` are the layouts of one-vs-rest and ID3 trees.
        ``"rpart"``: binary trees as R prints them, ``2) petallength< 2.45 50 0 Iris-setosa (1.0000000 0.0000000
        0.0000000) *``. Rules have the styles default (numbered, or nested if they are a default with exceptions),
        ``"if-then"`` (``IF a = b THEN c (covered/wrong)``), ``"table"`` (with fraction right and lift), and, if their
        learner has a classic layout, weka. For an ensemble, the default shows the size of each member; other styles
        write every member in full. Clusters have ``"table"`` (one line per column of the data, one column per cluster)
        and ``"describe"``: the size of each cluster, its typical values and what distinguishes it, which is the default
        unless the clusters are in a tree.
    max_depth : int, optional
        Default and ascii styles: draw no deeper, and show what was left out.
    p_values : bool
        Default and ascii styles, trees of classes: show above the branches of every split its p-value by the
        chi-square test, which is not corrected for the search.
    calibration : result of `hornbeam.evaluate.conformal`, or mapping of node to LeafCalibration, optional
        Default and ascii styles, one tree or one list of rules: show after every leaf, or rule, its prediction set or
        its interval.
    stability : result of `hornbeam.evaluate.stability`, or mapping of node to SplitStability, optional
        Default and ascii styles, one tree: show above the branches of every split how often it recurs.

    room : Room, optional
        The maximum number of lines, and the width for the lines of a tree; without it nothing is cut. If a tree is too
        long, its heaviest branches are drawn.

    Returns
    -------
    Text
        A `str` that shows its lines at a prompt and in notebooks, without a newline at the end. Names are made safe for
        a terminal.
    """
    if style not in STYLES:
        msg = f"unknown style {style!r}; expected one of {', '.join(map(repr, STYLES))}"
        raise ValueError(msg)
    style = settings().style if style == "default" else style
    if max_depth is not None and max_depth < 0:
        msg = f"max_depth is {max_depth}; expected 0 or more, or None"
        raise ValueError(msg)
    if hasattr(model, "fidelity"):
        extras = {"calibration": calibration, "stability": stability}
        whole = text(model.model_, style, max_depth=max_depth, p_values=p_values, room=room, **extras)
        return Text("\n".join([whole, "", *fidelity_lines(model)]))
    model = getattr(model, "model_", model)
    request = Request(style, max_depth, p_values, room or Room())
    if calibration is not None or stability is not None:
        return Text(request.room.cut(_with_extras(model, request, calibration, stability), plain=request.plain))
    writer = WRITERS.get(getattr(model, "KIND", ""))
    if writer is None:
        msg = f"cannot write a {type(model).__name__} as text; expected a Tree, a RuleList or a fitted estimator"
        raise TypeError(msg)
    module, _, name = writer.rpartition(".")
    written: str = getattr(import_module(f"hornbeam.show.texts.{module}"), name)(model, request)
    return Text(request.room.cut(written, plain=request.plain))


def _with_extras(model: Any, request: Request, calibration: Any, stability: Any) -> str:  # noqa: ANN401 - as `text` takes them
    """A tree with calibration or stability of its nodes, or rules with their calibration."""
    from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability, by_node

    kind = getattr(model, "KIND", "")
    if (
        kind not in ("tree", "rules")
        or request.style not in ("default", "ascii")
        or (kind == "rules" and (request.has_options or stability is not None))
    ):
        found = f"found a {type(model).__name__} and the style {request.style!r}"
        msg = f"calibration (also of rules) and stability need one tree, in the style 'default' or 'ascii'; {found}"
        raise ValueError(msg)
    leaves = None if calibration is None else by_node(calibration, LeafCalibration, "calibration")
    if kind == "rules":
        from hornbeam.show.texts.rules import rule_list

        return rule_list.write(model, leaves)
    from hornbeam.show.texts.trees import indented

    splits = None if stability is None else by_node(stability, SplitStability, "stability")
    return indented.draw(model, request, calibration=leaves, stability=splits)


def fidelity_lines(distilled: Any) -> list[str]:  # noqa: ANN401 - hornbeam.distill.Distilled, which must not be imported here
    """How well a distilled model agrees with the large one on held-out rows, overall and by class."""
    counts, rows = distilled.confusion, f"{distilled.n_held_out} rows"
    rows += " not used for learning" if distilled.folds is None else f", held out in turn ({distilled.folds} folds)"
    if counts is None:
        return [f"fidelity: R² {distilled.fidelity:.3f} on {rows}"]
    target = distilled.model_.schema.target_column
    assert isinstance(target, Nominal)
    whole = counts.sum()
    usual = f"; always the most frequent prediction: {percent(counts.sum(axis=1).max() / whole)}" if whole else ""
    lines = [f"fidelity: the same prediction for {percent(distilled.fidelity)} of {rows}{usual}"]
    for code, name in enumerate(target.categories):
        own = int(counts[code].sum())
        if not own:
            continue
        others = [(int(count), -other) for other, count in enumerate(counts[code]) if other != code and count]
        most = max(others, default=None)
        taken = "" if most is None else f", else most often {printable(target.categories[-most[1]], NAME_LIMIT)}"
        right = f"{percent(counts[code, code] / own)} of {plural(own, 'row')}"
        lines.append(f"  {printable(name, NAME_LIMIT)}: {right}{taken}")
    return lines
