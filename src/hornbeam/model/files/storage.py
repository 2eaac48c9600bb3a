"""Model files: a zip archive of JSON and .npy arrays, without pickle.

`manifest.json` names the format, its version, the kind of model, and the size and SHA-256 of every other member;
`model.json` holds the schema, the provenance and everything except the arrays. Members are not compressed, so that a
file cannot unpack to more than its own size and the same model always gives the same bytes. The class of a model
declares what a file holds: see `hornbeam.model.base.stored`.

Files are not trusted. Checksums are compared, array headers must have the one form that is written, and a model is
returned only after its own checks. A file is read once: the model, its provenance, its trace and its calibration all
come from one `Package`.
"""

from __future__ import annotations

import hashlib
import struct
import zipfile
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Schema, SchemaError
from hornbeam.model.base import plain as readers
from hornbeam.model.base.decision import Decision
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError, ModelFileError
from hornbeam.model.base.stored import Members
from hornbeam.model.files.members import (
    KINDS,
    MANIFEST,
    MODEL,
    MOST_BYTES,
    MOST_MEMBERS,
    array_bytes,
    check_json_size,
    class_of,
    json_bytes,
    open_members,
    pack_members,
    package_version,
    parse_array,
    parse_json,
    read_bytes,
    write_bytes,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from hornbeam.model.trees.node_figures import LeafCalibration
    from hornbeam.model.trees.trace import Trace

FORMAT = "hornbeam model"
FORMAT_VERSION = 3
# Arrays that older programs would ignore, with wrong predictions, and the first version that has them: forests whose
# values are distances from a base, and class weights of boxes.
VERSIONS = {"unit.npy": 2, "divisors.npy": 3}
# Exceptions that the standard library may raise for damaged zip or JSON data.
DAMAGE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError,
    NotImplementedError, RuntimeError, OverflowError, struct.error,
)  # fmt: skip


class Package:
    """The members of a model file; only their checksums have been checked."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        try:
            if data[:2] != b"PK":
                from hornbeam.model.files.written import binary  # noqa: PLC0415 - models as text are rare

                data = binary(data)
            self.members = open_members(data)
            manifest = parse_json(self.members.pop(MANIFEST))
            self._check_manifest(manifest)
            self.kind = manifest["kind"]
            self.plain = parse_json(self.members[MODEL])
            self.provenance = readers.provenance(self.plain["provenance"])
        except ModelFileError as error:
            msg = f"{name}: {error}"
            raise ModelFileError(msg) from None
        except DAMAGE as error:
            msg = f"{name}: the file is damaged, or is not a model file ({type(error).__name__}: {error})"
            raise ModelFileError(msg) from None

    def model(self) -> Model:
        """Return the model, checked in full, with its decision."""
        try:
            model = self._model("", {**self.plain, "kind": self.kind})
            if "decision" in self.plain:
                decision: Decision | None = Decision.from_json(self.plain["decision"], model.schema)
            else:  # a file of an older version
                decision = Decision.of_parameters(self.provenance.get("parameters", {}), model.schema)
        except DAMAGE as error:
            raise self._refusal(error) from None
        object.__setattr__(model, "decision", decision)
        return model

    def _model(self, folder: str, plain: Any) -> Model:  # noqa: ANN401 - whatever the file holds
        members = Members(self._array, self.members.__contains__, self._model, folder)
        model = class_of(plain["kind"]).from_entries(plain, Schema.from_json(plain["schema"]), members)
        model.validate()
        return model

    def trace(self) -> Trace | None:
        """Return the trace of how the tree was grown and pruned; None if the file has none."""
        if "grown" not in self.plain:
            return None
        from hornbeam.model.trees.trace import Trace, check_trace  # noqa: PLC0415 - only for trees

        try:
            members = Members(self._array, self.members.__contains__, self._model, "trace/")
            grown: Any = self._model("trace/grown/", {**self.plain["grown"], "kind": "tree"})
            trace = Trace(grown=grown, **members.arrays(Trace.ARRAYS))
            check_trace(trace)
        except DAMAGE as error:
            raise self._refusal(error) from None
        return trace

    def calibration(self) -> dict[int, LeafCalibration] | None:
        """Return the sets of classes or the intervals at the leaves or rules, by node; None if there are none."""
        if "calibration" not in self.plain:
            return None
        from hornbeam.model.trees.node_figures import calibration_from_plain  # noqa: PLC0415 - rarely needed

        model: Any = self.model()
        n_places = len(model) + 2 if self.kind == "rules" else getattr(model, "n_nodes", 0)
        try:
            return calibration_from_plain(self.plain["calibration"], model.schema, n_places)
        except DAMAGE as error:
            raise self._refusal(error) from None

    def _refusal(self, error: Exception) -> ModelFileError:
        known = isinstance(error, ModelError | SchemaError)
        reason = str(error) if known else f"{type(error).__name__}: {error}"
        return ModelFileError(f"{self.name}: the file does not hold a sound model: {reason}")

    def _check_manifest(self, manifest: Any) -> None:  # noqa: ANN401 - whatever the file holds
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise ModelFileError("a zip file, but not a model file: its manifest names no model format")
        if manifest.get("version") not in range(1, FORMAT_VERSION + 1):
            msg = (
                f"written in format version {manifest.get('version')!r}; this program reads versions 1 to "
                f"{FORMAT_VERSION}"
            )
            raise ModelFileError(msg)
        if manifest.get("kind") not in KINDS:
            msg = f"holds a model of kind {manifest.get('kind')!r}; expected one of {', '.join(KINDS)}"
            raise ModelFileError(msg)
        listed = manifest["members"]
        if listed.keys() != self.members.keys():
            odd = sorted(set(listed) ^ set(self.members))
            msg = f"the manifest and the members disagree on {', '.join(map(repr, odd[:5]))}"
            raise ModelFileError(msg)
        for name, data in self.members.items():
            if listed[name]["bytes"] != len(data) or listed[name]["sha256"] != hashlib.sha256(data).hexdigest():
                msg = f"the checksum of {name!r} is wrong: the file is damaged"
                raise ModelFileError(msg)

    def _array(self, name: str, dtype: str) -> NDArray[Any]:
        if name not in self.members:
            msg = f"the array {name!r} is missing"
            raise ModelError(msg)
        return parse_array(name, self.members[name], dtype)


def save(
    model: Any,  # noqa: ANN401 - one of KINDS, or an estimator
    path: str | os.PathLike[str],
    provenance: Mapping[str, Any] | None = None,
    trace: Trace | None = None,
    calibration: Iterable[LeafCalibration] | None = None,
) -> None:
    """Write a model to a file.

    The file is written completely or not at all: to a temporary file that is flushed to disk and renamed.

    Parameters
    ----------
    model : a model, or a fitted estimator
        What to save; for an estimator its `model_`, with its provenance and trace unless others are given.
    path : path
        The file; an existing one is replaced.
    provenance : mapping, optional
        How the model was made, as plain data: scheme, parameters, seed, fingerprint of the data. The version of this
        package is added.
    trace : Trace, optional
        How the tree was grown and pruned.
    calibration : iterable of LeafCalibration, optional
        The set of classes or the interval at every leaf or rule; `read_calibration` returns it.
    """
    if hasattr(model, "model_") or hasattr(model, "outputs_"):  # an estimator saves its model with provenance and trace
        model.save(path, calibration, provenance)
        return
    if not isinstance(model, Model):
        unfitted = hasattr(model, "fit")
        msg = f"cannot save {type(model).__name__}: expected a model, such as `model_` of a fitted estimator"
        raise ModelError(f"{msg}; call fit first" if unfitted else msg)
    write_bytes(path, to_bytes(model, provenance, trace, calibration))


def load(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Any:  # noqa: ANN401 - a model of any class
    """Read a model from a file that `save` wrote, or that was exported as JSON or text.

    Parameters
    ----------
    path : path
        The file.
    most_bytes : int
        The largest file that is read.

    Returns
    -------
    Model
        A tree, a list of rules, a forest, ...: fully checked. Its `predict` returns what the saved estimator's did:
        class names, chosen by its costs or threshold, numbers, or numbers of clusters.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged, or holds an inconsistent model.
    """
    return from_bytes(read_bytes(path, most_bytes), str(path))


def open_package(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Package:
    """Read a file once: its `model()`, `provenance`, `trace()` and `calibration()`."""
    return Package(read_bytes(path, most_bytes), str(path))


def read_provenance(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """Return how the model in a file was made: version, scheme, parameters, seed, fingerprint of the data."""
    return open_package(path, most_bytes).provenance


def read_trace(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Trace | None:
    """Return the trace of how the tree in a file was grown and pruned; None if it was not kept."""
    return open_package(path, most_bytes).trace()


def read_calibration(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> dict[int, LeafCalibration] | None:
    """Return the sets of classes or the intervals at the leaves or rules in a file, by node; None if it has none."""
    return open_package(path, most_bytes).calibration()


def to_bytes(
    model: Model,
    provenance: Mapping[str, Any] | None = None,
    trace: Trace | None = None,
    calibration: Iterable[LeafCalibration] | None = None,
) -> bytes:
    """Return the content of a model file; the same model and provenance give the same bytes."""
    model.validate()
    plain: dict[str, Any] = {"provenance": {"hornbeam": package_version(), **(provenance or {})}}
    if model.decision is not None:
        plain["decision"] = model.decision.to_json()
    plain |= {"schema": model.schema.to_json(), **model.file_entries()}
    members = {f"{name}.npy": array_bytes(array) for name, array in model.file_arrays().items()}
    if trace is not None:
        if model.KIND != "tree":
            msg = f"a trace shows how a tree was grown; {KINDS[model.KIND][0]} was given with one"
            raise ModelError(msg)
        from hornbeam.model.trees.trace import check_trace  # noqa: PLC0415 - only for trees

        check_trace(trace)
        plain["grown"] = {"schema": trace.grown.schema.to_json(), **trace.grown.file_entries()}
        arrays = {f"grown/{name}": array for name, array in trace.grown.file_arrays().items()} | trace.arrays()
        members |= {f"trace/{name}.npy": array_bytes(array) for name, array in arrays.items()}
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
        "version": max(VERSIONS.get(name.rsplit("/", 1)[-1], 1) for name in members),
        "kind": model.KIND,
        "members": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in members.items()
        },
    }
    if sum(map(len, members.values())) > MOST_BYTES - 2**20 or len(members) >= MOST_MEMBERS:
        msg = f"the model takes more than {MOST_BYTES} bytes or {MOST_MEMBERS} arrays; a model file cannot hold it"
        raise ModelError(msg)
    return pack_members({MANIFEST: json_bytes(manifest), **members})


def from_bytes(data: bytes, name: str = "the model file") -> Any:  # noqa: ANN401 - a model of any class
    """Return the model in the content of a model file; see `load`."""
    return Package(data, name).model()
