"""The format ``pmml``: its entry function, and the parts of a file around the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.export.manifest import manifest_line
from hornbeam.export.pmml_writer.decisions import decided_constant, decision
from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, element, number, reference
from hornbeam.export.pmml_writer.equations import has_products, regression_model, terms
from hornbeam.export.pmml_writer.fields import TRUE, Fields, Outputs, output
from hornbeam.export.pmml_writer.models import model_outputs
from hornbeam.export.pmml_writer.rules import FirstMatch, has_equations
from hornbeam.export.pmml_writer.trees import TreeWriter, distribution, tree_model
from hornbeam.export.pmml_writer.vectors import clustering_model
from hornbeam.export.program import program
from hornbeam.model.files.members import package_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hornbeam.export.writers import Exportable

NAMESPACE = "http://www.dmg.org/PMML-4_4"


def pmml(model: Exportable, *, costs: ArrayLike | None = None, decision_threshold: float | None = None) -> str:
    """Write a model as PMML 4.4.

    Parameters
    ----------
    model : model or fitted estimator
        What to write: trees, model trees, rules, equations, forests, boosting, ensembles of these, support vector
        machines, k-means clusters, mixtures (as a classifier of the number of the cluster).
    costs, decision_threshold : optional
        Instead of the estimator's.

    Returns
    -------
    str
        An XML document. The evaluator gives ``prediction``, and ``probability(CLASS)`` for every class. Values that are
        absent and categories that the model does not know are missing values.

    Raises
    ------
    TypeError
        If the model cannot be written as PMML; the message has the reason.
    ValueError
        If a name has a character that XML does not allow.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> text = export.pmml(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    >>> text.startswith("<?xml") and "<TreeModel" in text
    True
    """
    data = program(model, "PMML", costs, decision_threshold)
    writer = _File(data)
    body = writer.body()
    line = manifest_line(model, "pmml", precision=writer.fields.precision, outputs=writer.outputs)
    header = element(
        "Header",
        element("Application", name="hornbeam", version=package_version()),
        description="A model learned by hornbeam",
    )
    return "\n".join(
        part
        for part in (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<!-- {line} -->",
            f'<PMML xmlns="{NAMESPACE}" version="4.4">',
            header,
            element("DataDictionary", *writer.data_fields()),
            element("TransformationDictionary", *writer.fields.early) if writer.fields.early else "",
            body,
            "</PMML>\n",
        )
        if part
    )


class _File:
    """The parts of a file: fields, and the model that gives the prediction."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data, self.target, self.plain = data, data["target"], data["model"]
        self.classes: list[str] = list(self.target.get("categories", ()))
        self.is_cluster = self.plain["kind"] == "centers"
        listed = [] if self.is_cluster else [f"probability({name})" for name in self.classes]
        names = [column["name"] for column in data["columns"]]
        if self.target["name"] in names:  # the number of the cluster, and a column of the same name
            self.target = {**self.target, "name": _distinct([self.target["name"]], names)[0]}
        taken = [self.target["name"], *names]
        if "" in taken:
            raise ValueError("a column has an empty name, which a field of PMML cannot have; rename the column")
        self.outputs = _distinct(["prediction", *listed], taken)
        self.fields = Fields(data["columns"], [*taken, *self.outputs])

    def data_fields(self) -> list[str]:
        """Return the data dictionary: the columns and the target."""
        described = [*self.fields.columns, *([] if self.is_cluster else [self.target])]
        found = []
        for column in described:
            if column["kind"] == "numeric":
                found.append(element("DataField", name=column["name"], optype="continuous", dataType="double"))
                continue
            values = [element("Value", value=category) for category in column["categories"]]
            found.append(element("DataField", *values, name=column["name"], optype="categorical", dataType="string"))
        return found

    def body(self) -> str:
        """Return the model, with the models before it."""
        plain, kind = self.plain, self.plain["kind"]
        if kind == "tree" and "equations" not in plain:
            writer = TreeWriter(self.fields, plain)
            if self.classes or not writer.can_divide():
                return self._tree(writer)
        if kind == "rules" and plain["decide"] == "first" and not has_equations(plain):
            return self._rules()
        if kind == "linear" and not has_products(plain):
            outputs = [output(self.outputs[0], "predictedValue")]
            schema = self.fields.schema(self.target["name"])
            parts = terms(self.fields, plain)
            return regression_model(schema, float(plain["intercept"]), parts, outputs)
        if self.is_cluster:
            outputs = [output(self.outputs[0], "predictedValue", optype="categorical")]
            return clustering_model(self.fields, plain, outputs)
        found = model_outputs(self.fields, plain)
        return self._chained(self._decided(found) if self.classes else self._number(found.columns[0]))

    def _chained(self, last: str) -> str:
        """Return the last model, after those whose outputs it needs."""
        if not self.fields.segments:
            return last
        models = [*self.fields.segments, last]
        segments = [element("Segment", TRUE, each, id=str(k)) for k, each in enumerate(models, 1)]
        return element(
            "MiningModel",
            self.fields.schema(self.target["name"]),
            element("Segmentation", *segments, multipleModelMethod="modelChain"),
            functionName="classification" if self.classes else "regression",
        )

    def _local(self) -> str:
        """Return the computed fields of the last model."""
        return element("LocalTransformations", *self.fields.late) if self.fields.late else ""

    def _number(self, value: Expression) -> str:
        """Return the model that gives a computed number."""
        value = self.fields.derived(value)
        outputs = [output(self.outputs[0], "predictedValue")]
        schema = self.fields.schema(self.target["name"], fields=self.fields.given)
        return regression_model(schema, 0.0, [(1.0, value)], outputs, self._local())

    def _decided(self, found: Outputs) -> str:
        """Return the model that gives the class of a computed number, with the computed probabilities."""
        decided = decision(self.fields, found, self.data["decide"])
        columns = [self.fields.derived(each) for each in decided.columns]
        assert decided.label is not None
        label = self.fields.derived(decided.label)
        outputs = [output(self.outputs[0], "predictedValue", optype="categorical")]
        outputs += [
            output(name, "transformedValue", each.xml) for name, each in zip(self.outputs[1:], columns, strict=True)
        ]
        nodes = element("Node", TRUE, *self._by_label(label), id="0", score=self.classes[0])
        schema = self.fields.schema(self.target["name"], fields=self.fields.given)
        return tree_model(schema, outputs, nodes, classes=True, local=self._local())

    def _by_label(self, label: Expression) -> list[str]:
        """Return one node per class, for rows whose class is computed."""
        label = self.fields.named(label)
        return [
            element(
                "Node",
                element("SimplePredicate", field=label.field, operator="equal", value=number(float(k))),
                distribution(self.classes, [float(k == other) for other in range(len(self.classes))]),
                id=f"class {k}",
                score=name,
            )
            for k, name in enumerate(self.classes)
        ]

    # ---- models whose results are the same for all rows that end at a node ----

    def _end(self, outputs: Sequence[Any], label: int) -> tuple[str, str]:
        """Return the score of a node, and its probabilities."""
        if not self.classes:
            return number(float(outputs[0])), ""
        shares, code = decided_constant(outputs, label, self.data["decide"])
        return self.classes[code], distribution(self.classes, shares)

    def _constant(self, nodes: str, strategy: str, divided: tuple[Expression, Outputs] | None = None) -> str:
        """Return a TreeModel as the model itself."""
        kind = "categorical" if self.classes else "continuous"
        outputs = [output(self.outputs[0], "predictedValue", optype=kind)]
        for k, name in enumerate(self.outputs[1:]):
            own = name if divided is None else self.fields.fresh()
            outputs.append(output(own, "probability", value=self.classes[k]))
            if divided is not None:
                several, of_divided = divided
                mixed = choose(several, of_divided.columns[k], reference(own))
                outputs.append(output(name, "transformedValue", mixed.xml))
        schema = self.fields.schema(self.target["name"])
        return tree_model(schema, outputs, nodes, classes=bool(self.classes), strategy=strategy)

    def _rules(self) -> str:
        def end(rule: dict[str, Any]) -> tuple[str | None, str]:
            if not self.classes and rule["outputs"][0] == "NaN":
                return None, ""
            return self._end(rule["outputs"], -1 if rule["label"] is None else rule["label"])

        return self._constant(FirstMatch(self.fields, self.plain).nodes(end), "NullPrediction")

    def _tree(self, writer: TreeWriter) -> str:
        labels = self.plain.get("label")

        def end(node: int) -> tuple[str, str]:
            return self._end(writer.value(node), labels[node] if labels else -1)

        if not writer.can_divide():
            return self._constant(writer.nodes(end), "LastPrediction")
        count, found = writer.divided()
        decided = decision(self.fields, found, self.data["decide"])
        several = call("greaterThan", count, constant(1.0))
        assert decided.label is not None
        label = self.fields.derived(choose(several, decided.label, constant(-1.0)))
        inner = [*self._by_label(label), writer.nodes(end)]
        nodes = element("Node", TRUE, *inner, id="root", score=self.classes[0])
        return self._constant(nodes, "LastPrediction", (several, decided))


def _distinct(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return names for outputs that no column has."""
    found: list[str] = []
    for name in names:
        while name in taken or name in found:
            name = f"{name} of the model"  # noqa: PLW2901 - until it is new
        found.append(name)
    return found
