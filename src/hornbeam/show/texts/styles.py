"""`hornbeam.show.text`: a model as text, in one of several styles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.model.base.kept_predictions import Answering
from hornbeam.model.clusters.clustering import Clustering
from hornbeam.model.clusters.concepts import ConceptTree
from hornbeam.model.clusters.dendrogram import Dendrogram
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.svm.svm import SVM
from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability, by_node
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.clusters import clusters_text, concepts_text, dendrogram_text
from hornbeam.show.texts.forests import forest_text
from hornbeam.show.texts.linear import equations, linear_text
from hornbeam.show.texts.neighbors import instances_text
from hornbeam.show.texts.rules import rule_classic, rule_exceptions, rule_list, rule_table
from hornbeam.show.texts.svm import svm_text
from hornbeam.show.texts.trees import classic, indented, rpart_text
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Callable

STYLES = ("default", "ascii", "weka", "weka-binary", "weka-id3", "rpart", "if-then", "table", "describe")
RULE_STYLES = ("default", "ascii", "if-then", "table")
CLUSTER_STYLES = ("default", "ascii", "describe", "table")
LINEAR_STYLES = ("default", "ascii", "weka")

_WHOLE: dict[str, Callable[[Tree], str]] = {  # styles that print whole trees only
    "weka": lambda tree: (
        classic.body(tree, classic.layout_of(tree)) if tree.intercept is None else equations.weka_body(tree)
    ),
    "weka-binary": lambda tree: classic.body(tree, classic.C45_BINARY),
    "weka-id3": lambda tree: classic.body(tree, classic.ID3),
    "rpart": rpart_text.body,
}

_CLUSTERS: dict[str, Callable[[Clustering], str]] = {"describe": clusters_text.write, "table": clusters_text.table}
_RULES: dict[str, Callable[[RuleList], str]] = {"if-then": rule_table.if_then, "table": rule_table.table}


def text(
    model: Any,  # noqa: ANN401 - dispatches on it
    style: str = "default",
    *,
    max_depth: int | None = None,
    chance: bool = False,
    calibration: Any = None,  # noqa: ANN401 - a result, or what it holds
    stability: Any = None,  # noqa: ANN401 - the same
) -> str:
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
        write every member in full. Clusters have ``"table"`` (columns of the data down, clusters across) and
        ``"describe"``: the size of each cluster, its typical values and what distinguishes it, which is the default
        unless the clusters are in a tree.
    max_depth : int, optional
        Default and ascii styles: draw no deeper, and show what was left out.
    chance : bool
        Default and ascii styles, trees of classes: show above the branches of every split how likely it is to be
        chance, by the chi-square test.
    calibration : result of `hornbeam.evaluate.conformal`, or mapping of node to LeafCalibration, optional
        Default and ascii styles, one tree or one list of rules: show after every leaf, or rule, its prediction set or
        its interval.
    stability : result of `hornbeam.evaluate.stability`, or mapping of node to SplitStability, optional
        Default and ascii styles, one tree: show above the branches of every split how often it recurs.

    Returns
    -------
    str
        Lines without a newline at the end. Names are made safe for a terminal.
    """
    if style not in STYLES:
        msg = f"unknown style {style!r}; expected one of {', '.join(map(repr, STYLES))}"
        raise ValueError(msg)
    if max_depth is not None and max_depth < 0:
        msg = f"max_depth is {max_depth}; expected 0 or more, or None"
        raise ValueError(msg)
    if hasattr(model, "fidelity"):
        extras = {"calibration": calibration, "stability": stability}
        whole = text(model.model_, style, max_depth=max_depth, chance=chance, **extras)
        return "\n".join([whole, "", *_fidelity(model)])
    if not isinstance(model, Tree | RuleList):
        model = getattr(model, "model_", model)
    if calibration is not None or stability is not None:
        return _with_extras(model, style, max_depth, chance=chance, calibration=calibration, stability=stability)
    if isinstance(model, LinearModel):
        _refuse("a linear model", style, LINEAR_STYLES, options=max_depth is not None or chance)
        return linear_text.classic_body(model) if style == "weka" else linear_text.write(model)
    if isinstance(model, RuleList | Answering) and not isinstance(model, CorrectedModel):
        return _rules_or_rows(model, style, options=max_depth is not None or chance)
    write = next((write for kind, write in _WRITERS if isinstance(model, kind)), None)
    if write is None:
        msg = f"cannot write a {type(model).__name__} as text; expected a Tree, a RuleList or a fitted estimator"
        raise TypeError(msg)
    return write(model, style, max_depth, chance=chance)


def _with_extras(
    model: Any,  # noqa: ANN401 - refused unless it is a tree
    style: str,
    max_depth: int | None,
    *,
    chance: bool,
    calibration: Any,  # noqa: ANN401 - as above
    stability: Any,  # noqa: ANN401 - as above
) -> str:
    """A tree with calibration or stability of its nodes, or rules with their calibration."""
    plain = max_depth is None and not chance and stability is None
    if isinstance(model, RuleList) and style in ("default", "ascii") and plain:
        return rule_list.write(model, by_node(calibration, LeafCalibration, "calibration"))
    if not isinstance(model, Tree) or style not in ("default", "ascii"):
        found = f"found a {type(model).__name__} and the style {style!r}"
        msg = f"calibration (also of rules) and stability need one tree, in the style 'default' or 'ascii'; {found}"
        raise ValueError(msg)
    leaves = None if calibration is None else by_node(calibration, LeafCalibration, "calibration")
    splits = None if stability is None else by_node(stability, SplitStability, "stability")
    lines = indented.ASCII if style == "ascii" else indented.UNICODE
    return indented.draw(model, lines, max_depth, chance=chance, calibration=leaves, stability=splits)


def _fidelity(distilled: Any) -> list[str]:  # noqa: ANN401 - hornbeam.distill.Distilled, which must not be imported here
    """How well a distilled model agrees with the large one on held-out rows, in all and by class."""
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


def _around(model: DiscretizedModel | CorrectedModel, style: str, max_depth: int | None, *, chance: bool) -> str:
    """A model that contains another one."""

    def inside(inner: Any) -> str:  # noqa: ANN401 - any model
        return text(inner, style, max_depth=max_depth, chance=chance)

    if isinstance(model, DiscretizedModel):
        return linear_text.write_intervals(model, inside)
    return f"{inside(model.base)}\n\n{instances_text.correction_line(model)}"


def _clusters(model: Clustering, style: str, max_depth: int | None, *, chance: bool) -> str:
    """Clusters, one after another or in a tree."""
    options = chance or (max_depth is not None and not isinstance(model, ConceptTree))
    _refuse("a model of clusters", style, CLUSTER_STYLES, options=options)
    if style in _CLUSTERS:
        _refuse("a table or a list of clusters", style, tuple(_CLUSTERS), options=max_depth is not None)
        return _CLUSTERS[style](model)
    if isinstance(model, ConceptTree):
        return concepts_text.write(model, plain=style == "ascii", max_depth=max_depth)
    if isinstance(model, Dendrogram):
        return dendrogram_text.write(model, plain=style == "ascii")
    return clusters_text.write(model, plain=style == "ascii")


def _together(model: Forest | Ensemble, style: str, max_depth: int | None, *, chance: bool) -> str:
    """A forest, or an ensemble: in short, or each member in full."""
    options = max_depth is not None or chance
    if isinstance(model, Forest):
        _refuse("a forest", style, ("default", "ascii"), options=options)
        return forest_text.write_forest(model, plain=style == "ascii")
    if style in ("default", "ascii") and not options:
        return forest_text.write_ensemble(model)
    return forest_text.write_members(model, lambda member: text(member, style, max_depth=max_depth, chance=chance))


def _tree(model: Tree, style: str, max_depth: int | None, *, chance: bool) -> str:
    """A tree in a style."""
    if style in _RULES:
        msg = f"style {style!r} is for rules; a tree was given (hornbeam.model.rules.rule.rules_from_tree converts it)"
        raise ValueError(msg)
    if style in _CLUSTERS:
        msg = f"style {style!r} is for clusters; a tree was given"
        raise ValueError(msg)
    if style in _WHOLE:
        if max_depth is not None or chance:
            option = "chance" if max_depth is None else "max_depth"
            msg = f"style {style!r} prints whole trees; {option} goes with 'default' and 'ascii'"
            raise ValueError(msg)
        return _WHOLE[style](model)
    return indented.draw(model, indented.ASCII if style == "ascii" else indented.UNICODE, max_depth, chance=chance)


def _rules_or_rows(model: RuleList | Answering, style: str, *, options: bool) -> str:
    """A list of rules, or a model that keeps rows."""
    if isinstance(model, RuleList):
        return _rules(model, style, options=options)
    _refuse("a model of kept rows", style, ("default", "ascii"), options=options)
    if isinstance(model, SVM):
        return svm_text.write(model)
    return instances_text.write(model)


def _rules(model: RuleList, style: str, *, options: bool) -> str:
    """A list of rules in a style."""
    linear = "deviations" in model.recipe  # rules with equations
    has_layout = linear or model.recipe.get("layout") in rule_classic.LAYOUTS
    _refuse("a list of rules", style, (*RULE_STYLES, "weka") if has_layout else RULE_STYLES, options=options)
    if style == "weka":
        return equations.weka_rules(model) if linear else rule_classic.body(model)
    if style in _RULES:
        return _RULES[style](model)
    return rule_exceptions.write(model) if rule_exceptions.is_nested(model) else rule_list.write(model)


def _refuse(kind: str, style: str, styles: tuple[str, ...], *, options: bool) -> None:
    """Raise an error for a style that a kind of model does not have, and for options of trees."""
    if style not in styles or options:
        expected = ", ".join(map(repr, styles))
        msg = f"{kind} can be printed in these styles: {expected}; max_depth and chance are only for trees"
        raise ValueError(msg)


_WRITERS: tuple[tuple[Any, Callable[..., str]], ...] = (
    (Tree, _tree),
    (Forest | Ensemble, _together),
    (Clustering, _clusters),
    (DiscretizedModel | CorrectedModel, _around),
)
