"""Support vector machines and clusters as PMML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.export.pmml_writer.decisions import greatest
from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, element, number, total
from hornbeam.export.pmml_writer.equations import factor
from hornbeam.export.pmml_writer.fields import Outputs, output
from hornbeam.export.pmml_writer.forests import single
from hornbeam.model.svm.kernel import ON_PLANE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.pmml_writer.fields import Fields

ONE, ZERO = constant(1.0), constant(0.0)
TWO = 2  # classes, whose probabilities need no iteration
KERNELS = {"rbf": "RadialBasisKernelType", "polynomial": "PolynomialKernelType"}


# ---- support vector machines ----


def margin_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Return the outputs of a support vector machine."""
    if plain["classes"] > TWO and "slopes" in plain and plain["pairs"][0][0] >= 0:
        msg = (
            "cannot write this support vector machine as PMML: the probabilities of more than two classes are computed "
            "by iteration; fit it with probability=False, or use the formats python and javascript"
        )
        raise TypeError(msg)
    if "kernel" in plain and plain["kernel"]["name"] not in KERNELS:
        msg = (
            f"cannot write a support vector machine with the kernel {plain['kernel']['name']!r} as PMML: hornbeam "
            "computes it in single precision, which PMML does not reproduce; use the kernel rbf, polynomial or linear, "
            "or the formats python and javascript"
        )
        raise TypeError(msg)
    axes = [
        fields.derived(call("/", call("-", factor(fields, each), constant(float(shift))), constant(float(width))))
        for each, shift, width in plain["axes"]
    ]
    if "products" in plain:
        axes = [_product(fields, weight, [axes[k] for k in chosen]) for weight, *chosen in plain["products"]]
    margins = [
        _kernel_sum(fields, plain, one, axes) if "kernel" in plain else _plane(fields, one, axes)
        for one in plain["machines"]
    ]
    if not plain["classes"]:
        return Outputs(margins)
    columns = [fields.derived(each) for each in _votes(fields, plain, margins)]
    return Outputs(columns, greatest(fields, columns))


def _product(fields: Fields, weight: float, chosen: Sequence[Expression]) -> Expression:
    product = chosen[0]
    for each in chosen[1:]:
        product = call("*", product, each)
    return fields.derived(call("*", product, constant(float(weight))))


def _plane(fields: Fields, machine: dict[str, Any], axes: Sequence[Expression]) -> Expression:
    terms = [call("*", constant(float(w)), x) for w, x in zip(machine["plane"], axes, strict=True)]
    return fields.derived(total([*terms, constant(float(machine["intercept"]))]))


def _kernel_sum(
    fields: Fields, plain: dict[str, Any], machine: dict[str, Any], axes: Sequence[Expression]
) -> Expression:
    """Add a SupportVectorMachineModel that gives the margin of a pair of classes."""
    kernel, runs = plain["kernel"], machine["runs"]
    if kernel["name"] != "polynomial":
        fields.precision = "float32"  # hornbeam computes other kernels in single precision
    listed = [*range(*runs[:2]), *range(*runs[2:])]
    named = {"gamma": number(float(kernel["gamma"]))}
    if kernel["name"] == "polynomial":
        named |= {"coef0": number(float(kernel["coef0"])), "degree": number(float(kernel["degree"]))}
    names = [fields.named(axis).field for axis in axes]
    vectors = [
        element(
            "VectorInstance",
            element(
                "Array", " ".join(number(single(float(x))) for x in plain["vectors"][t]), type="real", n=str(len(names))
            ),
            id=f"v{t}",
        )
        for t in listed
    ]
    name = fields.fresh()
    model = element(
        "SupportVectorMachineModel",
        fields.schema(),
        element("Output", output(name, "predictedValue")),
        element(KERNELS[kernel["name"]], **named),
        element(
            "VectorDictionary",
            element(
                "VectorFields", *(element("FieldRef", field=each) for each in names), numberOfFields=str(len(names))
            ),
            *vectors,
            numberOfVectors=str(len(vectors)),
        ),
        element(
            "SupportVectorMachine",
            element("SupportVectors", *(element("SupportVector", vectorId=f"v{t}") for t in listed)),
            element(
                "Coefficients",
                *(element("Coefficient", value=number(float(machine["coefficients"][t]))) for t in listed),
                absoluteValue=number(float(machine["intercept"])),
            ),
        ),
        functionName="regression",
        svmRepresentation="SupportVectors",
    )
    return fields.segment(model, [name])[0]


def _votes(fields: Fields, plain: dict[str, Any], margins: Sequence[Expression]) -> list[Expression]:
    """Return the probabilities of the classes of a support vector machine."""
    pairs, outputs = plain["pairs"], [ZERO] * plain["classes"]
    if "slopes" in plain:
        exponents = [
            call("+", call("*", margin, constant(float(slope))), constant(float(offset)))
            for margin, (slope, offset) in zip(margins, plain["slopes"], strict=True)
        ]
        of_pairs = [fields.derived(call("/", ONE, call("+", ONE, call("exp", each)))) for each in exponents]
        if pairs[0][0] >= 0:
            outputs[pairs[0][1]], outputs[pairs[0][0]] = of_pairs[0], call("-", ONE, of_pairs[0])
            return outputs
        whole = fields.derived(total(of_pairs))
        for (_, code), each in zip(pairs, of_pairs, strict=True):
            outputs[code] = call("/", each, whole)
        return outputs
    if pairs[0][0] < 0:
        best = greatest(fields, margins)
        for machine, (_, code) in enumerate(pairs):
            outputs[code] = choose(call("equal", best, constant(float(machine))), ONE, ZERO)
        return outputs
    votes: list[list[Expression]] = [[] for _ in outputs]
    for (first, second), margin in zip(pairs, margins, strict=True):
        above = call("greaterThan", margin, constant(ON_PLANE))
        votes[second].append(choose(above, ONE, ZERO))
        votes[first].append(choose(above, ZERO, ONE))
    return [call("/", total(each), constant(float(len(margins)))) if each else ZERO for each in votes]


# ---- clusters ----


def clustering_model(fields: Fields, plain: dict[str, Any], outputs: Sequence[str]) -> str:
    """Return the ClusteringModel of clusters with centers.

    Missing values are left out of a distance, which evaluators then multiply by a factor that is the same for all
    centers. A constant field is never missing, so that a row without any value has a distance.
    """
    described: list[tuple[Expression, str, float]] = []
    for column, center, width, stretch in plain["scales"]:
        scaled = ZERO
        if float(width) > 0:
            scaled = call("/", call("-", fields.value(column), constant(float(center))), constant(float(width)))
        known = call("isNotMissing", fields.value(column))
        described.append((call("if", known, call("*", scaled, constant(float(stretch)))), "absDiff", 1.0))
    for column, cost in plain["nominal"]:
        codes = [*range(len(fields.columns[column]["categories"])), 0]
        known = call("isNotMissing", fields.value(column))
        described.append((call("if", known, fields.looked_up(column, codes)), "delta", float(cost)))
    described.append((ZERO, "absDiff", 1.0))
    compared = [
        element(
            "ClusteringField", field=fields.named(field).field, compareFunction=function, fieldWeight=number(weight)
        )
        for field, function, weight in described
    ]
    clusters = []
    for k, (numbers, codes) in enumerate(zip(plain["numbers"], plain["codes"], strict=True)):
        center = [*map(float, numbers), *map(float, codes), 0.0]
        array = element("Array", " ".join(map(number, center)), type="real", n=str(len(center)))
        clusters.append(element("Cluster", array, id=str(k)))
    return element(
        "ClusteringModel",
        fields.schema(),
        element("Output", *outputs),
        element("ComparisonMeasure", element("squaredEuclidean"), kind="distance"),
        *compared,
        *clusters,
        functionName="clustering",
        modelClass="centerBased",
        numberOfClusters=str(len(clusters)),
    )
