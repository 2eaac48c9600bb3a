"""Model files: a zip of JSON and .npy arrays, never pickle.

`manifest.json` names the format, its version, the kind of model, and the size and SHA-256 of every other member;
`model.json` holds the schema, the provenance and what is not an array. Members are stored as they are, not compressed:
a file then cannot unpack to more than its own size, and the same model always gives the same bytes.

Nothing in a file is trusted. Array headers are matched against the one form that is ever written, and a tree is
handed out only after the checks of `hornbeam.model.trees.invariants`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from hornbeam.model.base.decision import decision_of
from hornbeam.model.base.errors import ModelError
from hornbeam.model.clusters.projected import ProjectedClusters, projected_arrays
from hornbeam.model.files.array_types import (
    TRACE_TYPES,
)
from hornbeam.model.files.members import (
    MANIFEST,
    MODEL,
    MOST_BYTES,
    MOST_MEMBERS,
    array_bytes,
    check_json_size,
    json_bytes,
    pack_members,
    package_version,
    read_bytes,
    write_bytes,
)
from hornbeam.model.files.package import FORMAT, KINDS, UNIT_VERSION, Package
from hornbeam.model.files.plain import (
    linear_to_plain,
    rules_to_plain,
)
from hornbeam.model.files.rows_plain import ROWS_TO_PLAIN
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.invariants import check_trace
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from hornbeam.model.files.package import Model
    from hornbeam.model.trees.node_figures import LeafCalibration
    from hornbeam.model.trees.trace import Trace

MODELS = (
    *(Tree, RuleList, LinearModel, DiscretizedModel, Forest, Ensemble, CorrectedModel, ProjectedClusters),
    *ROWS_TO_PLAIN,
)


def save(
    model: Any,  # noqa: ANN401 - one of KINDS, or an estimator
    path: str | os.PathLike[str],
    provenance: Mapping[str, Any] | None = None,
    trace: Trace | None = None,
    calibration: Iterable[LeafCalibration] | None = None,
) -> None:
    """Write a model to a file.

    The file appears whole or not at all: it is written beside its place, brought to disk, and renamed.

    Parameters
    ----------
    model : a model, or a fitted estimator
        What to keep; of an estimator its `model_`, with its provenance and trace unless others are given.
    path : path
        Where; an older file is replaced.
    provenance : mapping, optional
        How the model came about, as plain data: scheme, parameters, seed, fingerprint of the data. The version of this
        package is added.
    trace : Trace, optional
        How the tree was grown and pruned.
    calibration : iterable of LeafCalibration, optional
        The set of classes or the interval at every leaf or rule; `read_calibration` gives it back.
    """
    if hasattr(model, "model_"):  # an estimator knows what belongs to its model
        model.save(path, calibration, provenance)
        return
    if not isinstance(model, MODELS):
        unfitted = hasattr(model, "fit")
        msg = f"cannot save {type(model).__name__}: expected a model, such as `model_` of a fitted estimator"
        raise ModelError(f"{msg}; call fit first" if unfitted else msg)
    given: Any = model
    write_bytes(path, to_bytes(given, provenance, trace, calibration))


def load(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Any:  # noqa: ANN401 - one of KINDS
    """Read a model from a file that `save` wrote.

    Parameters
    ----------
    path : path
        The file.
    most_bytes : int
        Refuse a larger file.

    Returns
    -------
    Tree, RuleList, LinearModel, DiscretizedModel, Forest or Ensemble
        Checked in full.

    Raises
    ------
    ModelFileError
        Where the file is not a model file, is damaged, or holds a model that contradicts itself.
    """
    return from_bytes(read_bytes(path, most_bytes), str(path))


def read_provenance(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """How the model in a file came about: version, scheme, parameters, seed, fingerprint of the data."""
    return Package(read_bytes(path, most_bytes), str(path)).provenance


def read_trace(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Trace | None:
    """How the tree in a file was grown and pruned, or None where that was not kept."""
    return Package(read_bytes(path, most_bytes), str(path)).trace()


def read_calibration(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> dict[int, LeafCalibration] | None:
    """Give the sets of classes or the intervals at the leaves or rules in a file, by node; None where it has none."""
    return Package(read_bytes(path, most_bytes), str(path)).calibration()


def to_bytes(
    model: Model,
    provenance: Mapping[str, Any] | None = None,
    trace: Trace | None = None,
    calibration: Iterable[LeafCalibration] | None = None,
) -> bytes:
    """Give the content of a model file; the same for the same model and provenance."""
    model.validate()
    plain: dict[str, Any] = {"provenance": {"hornbeam": package_version(), **(provenance or {})}}
    if (decision := decision_of(model)) is not None:
        plain["decision"] = decision.to_json()
    members: dict[str, bytes] = {}
    kind = _add_model(members, "", model, plain)
    if trace is not None:
        if kind != "tree":
            msg = f"a trace tells how a tree was grown; {KINDS[kind]} was given with one"
            raise ModelError(msg)
        check_trace(trace)
        plain["grown"] = {}
        _add_model(members, "trace/grown/", trace.grown, plain["grown"])
        for name in TRACE_TYPES:
            members[f"trace/{name}.npy"] = array_bytes(getattr(trace, name))
    if calibration is not None:
        plain["calibration"] = [leaf.to_json() for leaf in calibration]
    try:
        members[MODEL] = json_bytes(plain)
    except (TypeError, ValueError) as error:
        msg = f"the provenance cannot be written as JSON: {error}"
        raise ModelError(msg) from None
    check_json_size(members[MODEL])
    manifest = {
        "format": FORMAT,
        "version": UNIT_VERSION if any(name.rsplit("/", 1)[-1] == "unit.npy" for name in members) else 1,
        "kind": kind,
        "members": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in members.items()
        },
    }
    if sum(map(len, members.values())) > MOST_BYTES - 2**20 or len(members) >= MOST_MEMBERS:
        msg = f"the model takes more than {MOST_BYTES} bytes or {MOST_MEMBERS} arrays; a model file cannot hold it"
        raise ModelError(msg)
    return pack_members({MANIFEST: json_bytes(manifest), **members})


def from_bytes(data: bytes, name: str = "the model file") -> Any:  # noqa: ANN401 - one of KINDS
    """Give the model in the content of a model file; see `load`."""
    return Package(data, name).model()


def _add_model(members: dict[str, bytes], folder: str, model: Model, plain: dict[str, Any]) -> str:
    """Put a model's arrays to the members and the rest to the plain data; give its kind."""
    plain["schema"] = model.schema.to_json()
    if type(model) in ROWS_TO_PLAIN:
        kind, to_plain = ROWS_TO_PLAIN[type(model)]
        plain[kind], arrays = to_plain(model)
        members |= {f"{folder}{name}.npy": array_bytes(array) for name, array in arrays.items()}
        return kind
    return _add_other(members, folder, model, plain)


def _add_other(members: dict[str, bytes], folder: str, model: Any, plain: dict[str, Any]) -> str:  # noqa: ANN401 - any but those
    if isinstance(model, Tree):
        plain["pseudo_count"] = float(model.pseudo_count)
        plain["recipe"] = dict(model.recipe)
        _add_tree(members, folder, model)
        return "tree"
    if isinstance(model, Forest):
        plain["forest"] = {"combine": model.combine, "link": model.link}
        plain["recipe"] = dict(model.recipe)
        members |= {f"{folder}{name}.npy": array_bytes(array) for name, array in model.arrays().items()}
        return "forest"
    if isinstance(model, LinearModel):
        plain["linear"] = linear_to_plain(model)
        return "linear"
    if isinstance(model, DiscretizedModel | CorrectedModel | Ensemble | ProjectedClusters):
        return _add_nested(members, folder, model, plain)
    plain["rules"] = rules_to_plain(model)
    return "rules"


def _add_nested(
    members: dict[str, bytes],
    folder: str,
    model: DiscretizedModel | CorrectedModel | Ensemble | ProjectedClusters,
    plain: dict[str, Any],
) -> str:
    """Models that have models in them."""

    def part(name: str, inside: Any) -> dict[str, Any]:  # noqa: ANN401 - any model
        inner: dict[str, Any] = {}
        inner["kind"] = _add_model(members, f"{folder}{name}/", inside, inner)
        return inner

    if isinstance(model, DiscretizedModel):
        classifier = part("classifier", model.classifier)
        plain["discretized"] = {"values": model.values.tolist(), "default": model.default, "classifier": classifier}
        return "discretized"
    if isinstance(model, ProjectedClusters):
        members |= {f"{folder}{name}.npy": array_bytes(array) for name, array in projected_arrays(model).items()}
        plain["projected"] = {"inner": part("inner", model.inner)}
        return "projected"
    if isinstance(model, CorrectedModel):
        base, near = part("base", model.base), part("near", model.near)
        plain["corrected"] = {"reach": model.reach, "base": base, "near": near}
        return "corrected"
    inner = [part(f"members/{number}", member) for number, member in enumerate(model.members)]
    own = {"decide": model.decide, "default": model.default.tolist(), "recipe": dict(model.recipe), "members": inner}
    plain["ensemble"] = own
    return "ensemble"


def _add_tree(members: dict[str, bytes], folder: str, tree: Tree) -> None:
    for name, array in tree.arrays().items():
        members[f"{folder}{name}.npy"] = array_bytes(array)
    for name, array in tree.splits.arrays().items():
        members[f"{folder}splits/{name}.npy"] = array_bytes(array)
