"""Forests and boosting in PMML that hornbeam wrote: sums of trees, and the computed fields that follow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.forests import Link, Together, assemble_forest
from hornbeam.model.imported.pmml_nodes import TreeReader
from hornbeam.model.imported.pmml_predicates import local, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from xml.etree.ElementTree import Element

    from hornbeam.data.schema import Schema
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.imported.draft import Draft
    from hornbeam.model.imported.pmml_predicates import Tests

Affine = tuple[str, float, float]  # the name of a sum ("": none), a factor, and a constant

CHOICE = r"(if greaterThan )+if lessThan"  # of the class with the highest probability, without costs and thresholds
MEAN = rf"(sum )?(/ )+{CHOICE}"  # the functions of the computed fields, in order
LINKS: dict[Link, str] = {
    "logistic": rf"(\+ )?exp \* abs / if greaterOrEqual \+ - {CHOICE}",
    "softmax": rf"(\+ )*max (exp - )+sum (/ )+{CHOICE}",
}


def own_forest(model: Element, tests: Tests, schema: Schema) -> Forest | None:
    """Return a forest or boosting model of a file that hornbeam wrote.

    None: the model is not a chain of such trees and the computed fields, or chooses a class by costs or a threshold.
    """
    if local(model) != "MiningModel" or part_of(model, "Segmentation").get("multipleModelMethod") != "modelChain":
        return None
    models = _models(model)
    if len(models) < 2 or any(local(each) != "MiningModel" for each in models[:-1]):  # noqa: PLR2004 - trees, and the end
        return None
    functions = " ".join(each.get("function", "") for each in models[-1].iter() if local(each) == "Apply")
    methods = {part_of(each, "Segmentation").get("multipleModelMethod") for each in models[:-1]}
    if isinstance(schema.target_column, Nominal):
        if methods == {"average"} and len(models) == 2 and re.fullmatch(MEAN, functions):  # noqa: PLR2004 - as above
            return _averaged(models[0], tests, schema)
        link = next((link for link, pattern in LINKS.items() if re.fullmatch(pattern, functions)), None)
        return _added(models, tests, schema, link) if methods == {"sum"} and link is not None else None
    if methods != {"sum"} or local(models[-1]) != "RegressionModel" or len(models) > 2:  # noqa: PLR2004 - as above
        return None
    return _added(models, tests, schema, "exp" if "exp" in functions.split() else "identity")


def _averaged(forest: Element, tests: Tests, schema: Schema) -> Forest | None:
    """Return a random forest: its trees have class codes, and code -1 for the probability that is missing to 1."""
    n = len(schema.target_column.categories) if isinstance(schema.target_column, Nominal) else 0
    given = [each for each in part_of(forest, "Output") if local(each) == "OutputField"]
    codes = [str(code) for code in range(n)]
    if [each.get("value") for each in given if each.get("feature") == "probability"] != codes:
        return None
    reader = TreeReader(tests, [*codes, "-1"], {})
    drafts = [reader.read(tree) for tree in _models(forest)]
    for draft in drafts:
        draft.value = draft.value[:, :n]
    together = Together(base=np.zeros(n), combine="mean", wide=True)
    return assemble_forest(schema, drafts, together, {"learner": "PMML", "method": "average"})


def _added(models: Sequence[Element], tests: Tests, schema: Schema, link: Link) -> Forest | None:
    """Return trees that are added, for each output or for one, and then scaled, shifted and linked."""
    computed = {each.get("name", ""): each[0] for each in models[-1].iter() if local(each) == "DerivedField"}
    sums = [_name(each) for each in models[:-1]]
    found: list[Affine] = []
    for expression in computed.values():
        try:
            affine = _affine(expression, computed, sums)
        except ModelError:
            break  # the link begins
        found = [*(each for each in found if each[0] != affine[0]), affine]  # the last one of each sum
    if link != "exp" and not found:
        found = [(name, 1.0, 0.0) for name in sums]
    found = found or [(sums[0], 1.0, 0.0)]
    scales = {scale for _, scale, _ in found}
    if [name for name, _, _ in found] != sums or len(scales) != 1:
        return None
    reader = TreeReader(tests, None, {})
    drafts: list[Draft] = []
    outputs: list[int] = []
    for place, model in enumerate(models[:-1]):
        for tree in _models(model):
            draft = reader.read(tree)
            drafts.append(draft)
            outputs.append(place)
    together = Together(
        base=np.array([shift for _, _, shift in found]),
        link=link,
        output=np.array(outputs, np.int32) if len(sums) > 1 else None,
        wide=True,
        scale=scales.pop(),
    )
    return assemble_forest(schema, drafts, together, {"learner": "PMML", "method": "sum"})


def _affine(expression: Element, computed: Mapping[str, Element], sums: Sequence[str]) -> Affine:
    """Return an expression as a sum of trees that is multiplied by a number and shifted by one."""
    kind = local(expression)
    if kind == "Constant":
        return "", 0.0, float(expression.text or "nan")
    if kind == "FieldRef":
        name = expression.get("field", "")
        if name in sums:
            return name, 1.0, 0.0
        if name in computed:
            return _affine(computed[name], computed, sums)
    if kind == "Apply" and expression.get("function") in ("+", "*", "/") and len(expression) == 2:  # noqa: PLR2004 - operands
        (name, scale, shift), (other, _, number) = (_affine(each, computed, sums) for each in expression)
        if not other:
            function = expression.get("function")
            if function == "+":
                return name, scale, shift + number
            factor = number if function == "*" else 1 / number
            return name, scale * factor, shift * factor
    raise ModelError("a computed field is not a sum of trees, scaled and shifted")


def _models(model: Element) -> list[Element]:
    segments = (each for each in part_of(model, "Segmentation") if local(each) == "Segment")
    return [each for segment in segments for each in segment if local(each).endswith("Model")]


def _name(model: Element) -> str:
    """Return the name of the output of a sum of trees."""
    names: Iterator[str] = (each.get("name", "") for each in part_of(model, "Output") if local(each) == "OutputField")
    return next(names, "")
