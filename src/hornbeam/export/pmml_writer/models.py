"""Models of every kind as PMML; here ensembles and classifiers of intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.core.base.tolerance import TIE
from hornbeam.export.pmml_writer.decisions import greatest
from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, total
from hornbeam.export.pmml_writer.equations import linear_outputs
from hornbeam.export.pmml_writer.fields import Outputs
from hornbeam.export.pmml_writer.forests import forest_outputs
from hornbeam.export.pmml_writer.mixtures import mixture_outputs
from hornbeam.export.pmml_writer.rules import rules_outputs
from hornbeam.export.pmml_writer.trees import tree_outputs
from hornbeam.export.pmml_writer.vectors import margin_outputs
from hornbeam.export.writers import writer_of_kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.export.pmml_writer.fields import Fields

ONE, ZERO = constant(1.0), constant(0.0)
NO_DISTANCE = "it compares each row with all kept rows by a distance that PMML does not have"


def model_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Add a model to the fields and models of a file, and return its outputs."""
    write = writer_of_kind(KINDS, plain["kind"], "PMML", dict.fromkeys(("instances", "corrected"), NO_DISTANCE))
    return write(fields, plain)


# ---- several models together ----


def intervals_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Return the output of a classifier of intervals."""
    inner = model_outputs(fields, plain["classifier"]).columns
    mean = total([call("*", p, constant(float(v))) for p, v in zip(inner, plain["values"], strict=True)])
    known = call("greaterThan", fields.derived(total(inner)), ZERO)
    return Outputs([fields.derived(choose(known, mean, constant(float(plain["default"]))))])


def ensemble_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Return the outputs of an ensemble: the means of its members."""
    size, classes = len(plain["default"]), plain["classes"]
    members: list[list[Expression]] = []
    known: list[Expression] = []
    for member in plain["members"]:
        inner = model_outputs(fields, member)
        columns = inner.columns
        if plain["decide"] == "vote":
            assert inner.label is not None
            columns = [choose(call("equal", inner.label, constant(float(k))), ONE, ZERO) for k in range(size)]
        columns = [fields.derived(each) for each in columns]
        if classes:
            known.append(fields.derived(choose(call("greaterThan", total(columns), ZERO), ONE, ZERO)))
        else:
            known.append(fields.derived(choose(call("isMissing", columns[0]), ZERO, ONE)))
        members.append(columns)
    count = fields.derived(total(known))
    any_known = call("greaterThan", count, ZERO)
    means = [
        fields.derived(call("/", total([one[k] for one in members]), count)) for k in range(size)
    ]  # members without a prediction are zero or missing, which a sum ignores
    if not classes:  # a mean lies between the least and the greatest
        values = [one[0] for one in members]
        if len(values) > 1:
            means = [call("min", call("max", means[0], call("min", *values)), call("max", *values))]
    columns = [
        fields.derived(choose(any_known, mean, constant(float(default))))
        for mean, default in zip(means, plain["default"], strict=True)
    ]
    return Outputs(columns, greatest(fields, columns, TIE) if classes else None)


KINDS: dict[str, Callable[[Fields, dict[str, Any]], Outputs]] = {
    "tree": tree_outputs,
    "rules": rules_outputs,
    "linear": linear_outputs,
    "intervals": intervals_outputs,
    "ensemble": ensemble_outputs,
    "forest": forest_outputs,
    "margin": margin_outputs,
    "mixture": mixture_outputs,
}
