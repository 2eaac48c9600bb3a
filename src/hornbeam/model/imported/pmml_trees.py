"""`from_pmml`: import the trees of a PMML file (single, averaged or added) as a `Tree` or `Forest`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.files.xml import XmlError, parsed
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import schema_of
from hornbeam.model.imported.forests import Together, assemble_forest
from hornbeam.model.imported.leaves import averaged
from hornbeam.model.imported.own_graphs import INSTEAD
from hornbeam.model.imported.pmml_chains import own_forest
from hornbeam.model.imported.pmml_nodes import TreeReader
from hornbeam.model.imported.pmml_predicates import Tests, local, part_of, predicate_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from hornbeam.data.schema import Column
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.trees.tree import Tree

METHODS = ("average", "weightedAverage", "sum", "weightedSum", "majorityVote", "weightedMajorityVote")


def from_pmml(
    model: Any,  # noqa: ANN401 - a path, a text or bytes
    *,
    name: str = "table",
) -> Tree | Forest:
    """Return the trees of a PMML file as a `Tree` or a `Forest` that predicts the same.

    Parameters
    ----------
    model : path, str or bytes
        A file, or the content of one (a text that starts with ``<``): a TreeModel, or a MiningModel of TreeModels that
        are averaged, added or vote.
    name : str
        The name of the table, shown with the model.

    Returns
    -------
    Tree or Forest
        If the file has no result for a row with a missing value, the last branch is taken.

    Raises
    ------
    ModelError
        If the file is not PMML, has a document type declaration, or its model is not supported.
    """
    try:
        root = parsed(_content(model))
    except XmlError as error:
        raise ModelError(str(error)) from None
    if local(root) != "PMML":
        msg = f"the first element is {local(root)!r}; expected PMML"
        raise ModelError(msg)
    try:
        return _File(root).read(name)
    except ModelError as error:
        if any(local(each) == "Application" and each.get("name") == "hornbeam" for each in root.iter()):
            raise ModelError(f"{error}{INSTEAD}") from None
        raise


def _content(model: Any) -> bytes:  # noqa: ANN401 - as above
    if isinstance(model, bytes):
        return model
    if isinstance(model, str) and model.lstrip("\ufeff \n").startswith("<"):
        return model.encode()
    if isinstance(model, str | os.PathLike):
        return Path(model).read_bytes()
    msg = f"found an object of type {type(model).__name__}; expected a path, a text or bytes"
    raise ModelError(msg)


class _File:
    """The parts of a file: fields and the model."""

    def __init__(self, root: Element) -> None:
        models = [each for each in root if local(each).endswith("Model")]
        if len(models) != 1 or local(models[0]) not in ("TreeModel", "MiningModel"):
            found = ", ".join(local(each) for each in models) or "none"
            msg = f"the file has the models: {found}; expected one TreeModel, or one MiningModel of trees"
            raise ModelError(msg)
        self.model = models[0]
        self.fields = {each.get("name", ""): each for each in root.iter() if local(each) == "DataField"}
        mining = [each for each in part_of(self.model, "MiningSchema") if local(each) == "MiningField"]
        usage = {each.get("name", ""): each.get("usageType", "active") for each in mining}
        self.replaced = {each.get("name", ""): each.get("missingValueReplacement") for each in mining}
        targets = [field for field, use in usage.items() if use in ("target", "predicted")]
        names = [field for field, use in usage.items() if use == "active" and field in self.fields]
        listed = self._listed()
        self.columns: list[Column] = [self._column(field, listed) for field in names]
        self.single = [self.fields[field].get("dataType") == "float" for field in names]
        self.target = targets[0] if targets else "target"
        self.classes = self._classes() if self.model.get("functionName") == "classification" else None

    def _column(self, name: str, listed: dict[str, list[str]]) -> Column:
        field = self.fields[name]
        if field.get("optype") == "continuous":
            return Numeric(name)
        values = [
            each.get("value", "") for each in field if local(each) == "Value" and each.get("property") != "missing"
        ]
        return Nominal(name, tuple(values or listed.get(name, ())))

    def _listed(self) -> dict[str, list[str]]:
        """The categories that predicates name, for fields that do not list theirs."""
        found: dict[str, dict[str, None]] = {}
        for each in self.model.iter():
            if local(each) == "SimplePredicate" and each.get("value") is not None:
                found.setdefault(each.get("field", ""), {})[each.get("value", "")] = None
            elif local(each) == "SimpleSetPredicate":
                found.setdefault(each.get("field", ""), {}).update(dict.fromkeys(words_of(each)))
        return {name: list(values) for name, values in found.items()}

    def _classes(self) -> tuple[str, ...]:
        field = self.fields.get(self.target)
        listed = [] if field is None else [each.get("value", "") for each in field if local(each) == "Value"]
        if not listed:
            scores = (each.get("value", "") for each in self.model.iter() if local(each) == "ScoreDistribution")
            listed = list(dict.fromkeys(scores))
        if not listed:
            raise ModelError("the file does not list the classes")
        return tuple(listed)

    def read(self, name: str) -> Tree | Forest:
        """Return the model."""
        tests = Tests(self.columns, self.single)
        goal = Numeric(self.target) if self.classes is None else Nominal(self.target, self.classes)
        schema = schema_of(self.columns, goal, name)
        own = own_forest(self.model, tests, schema)
        if own is not None:
            return own
        trees, weights, method = self._trees()
        reader = TreeReader(tests, self.classes, {k: self.replaced.get(c.name) for k, c in enumerate(self.columns)})
        drafts = [reader.read(tree, votes="Vote" in method) for tree in trees]
        recipe = {"learner": "PMML", "method": method}
        factor, constant = self._rescaled()
        if len(drafts) == 1 or (self.classes is not None and method != "sum"):
            if len(set(weights)) > 1:
                raise ModelError("the trees have different weights; expected equal ones")
            if (factor, constant) != (1.0, 0.0):
                drafts[0].value[:] = drafts[0].value * factor + constant
            return averaged(schema, drafts, recipe)
        if self.classes is not None:
            raise ModelError("the trees for classes are added; expected an average or votes")
        total = sum(weights) if "verage" in method else 1.0
        weighed = weights if method.startswith("weighted") else [1.0] * len(weights)
        total = total if method.startswith("weighted") else (len(weights) if method == "average" else 1.0)
        for draft, weight in zip(drafts, weighed, strict=True):
            draft.value[:] *= weight / total * factor
        return assemble_forest(schema, drafts, Together(base=np.array([constant]), wide=True), recipe)

    def _trees(self) -> tuple[list[Element], list[float], str]:
        """Return the trees, their weights and how they are combined."""
        if local(self.model) == "TreeModel":
            return [self.model], [1.0], "alone"
        segmentation = part_of(self.model, "Segmentation")
        method = segmentation.get("multipleModelMethod", "")
        if method not in METHODS:
            msg = f"the models are combined by {method!r}; expected one of {', '.join(METHODS)}"
            raise ModelError(msg)
        trees, weights = [], []
        for segment in (each for each in segmentation if local(each) == "Segment"):
            if local(predicate_of(segment)) != "True":
                raise ModelError("a segment has its own condition; expected trees that are all used")
            inner = [each for each in segment if local(each).endswith("Model")]
            if len(inner) != 1 or local(inner[0]) != "TreeModel":
                found = " and ".join(f"a {local(each)}" for each in inner) or "no model"
                msg = f"a segment has {found}; expected one TreeModel"
                raise ModelError(msg)
            trees.append(inner[0])
            weights.append(float(segment.get("weight", 1)))
        if not trees:
            raise ModelError("the model has no trees; expected at least one tree")
        return trees, weights, method

    def _rescaled(self) -> tuple[float, float]:
        """Return the factor of a predicted number, and the number added afterwards."""
        for each in _targets(self.model):
            strange = {"min", "max", "castInteger"} & set(each.attrib)
            if strange:
                msg = f"the target has {', '.join(sorted(strange))}, which is not supported"
                raise ModelError(msg)
            if self.classes is None:
                return float(each.get("rescaleFactor", 1)), float(each.get("rescaleConstant", 0))
        return 1.0, 0.0


def _targets(model: Element) -> Iterator[Element]:
    for part in model:
        if local(part) == "Targets":
            yield from (each for each in part if local(each) == "Target")
