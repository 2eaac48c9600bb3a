"""Model files: a zip of JSON and .npy arrays, never pickle.

`manifest.json` names the format, its version, the kind of model, and the size and SHA-256 of every other member;
`model.json` holds the schema, the provenance and what is not an array. Members are stored as they are, not compressed:
a file then cannot unpack to more than its own size, and the same model always gives the same bytes.

Nothing in a file is trusted. Array headers are matched against the one form that is ever written, and a tree is
handed out only after the checks of `hornbeam.model.invariants`.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import os
import re
import secrets
import struct
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Schema, SchemaError
from hornbeam.model.discretized import DiscretizedModel
from hornbeam.model.errors import ModelError, ModelFileError
from hornbeam.model.invariants import check_trace
from hornbeam.model.linear import LinearModel
from hornbeam.model.plain import (
    linear_from_plain,
    linear_to_plain,
    numbers_from_plain,
    recipe_from_plain,
    rules_from_plain,
    rules_to_plain,
)
from hornbeam.model.split import SplitStore
from hornbeam.model.trace import Trace
from hornbeam.model.tree import NOT_ARRAYS, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.model.rule import RuleList

    Model = Tree | RuleList | LinearModel | DiscretizedModel

FORMAT = "hornbeam model"
FORMAT_VERSION = 1
MOST_BYTES = 2**32 - 2**16  # what a zip without extensions can hold
MOST_JSON_BYTES = 2**28
MOST_MEMBERS = 200
MANIFEST, MODEL = "manifest.json", "model.json"
KINDS = {
    "tree": "a tree",
    "rules": "a list of rules",
    "linear": "a linear model",
    "discretized": "a classifier of intervals",
}

_TREE_TYPES: dict[str, str] = {
    **dict.fromkeys(("parent", "first_child", "n_children", "split", "missing", "label"), "<i4"),
    **dict.fromkeys(("surrogates", "alternatives", "term_column", "term_codes"), "<i4"),
    **dict.fromkeys(("rows", "surrogate_start", "alternative_start", "term_start", "term_code_start"), "<i8"),
    **dict.fromkeys(("weight", "value", "error", "share", "prior"), "<f8"),
    **dict.fromkeys(("intercept", "residual", "term_coefficient", "term_fill"), "<f8"),
}
_SPLIT_TYPES: dict[str, str] = {
    **dict.fromkeys(("column", "n_branches", "codes", "code_branch", "other", "term_column"), "<i4"),
    **dict.fromkeys(("cut_start", "code_start", "term_start"), "<i8"),
    **dict.fromkeys(("score", "cuts", "agreement", "term_coefficient"), "<f8"),
    "kind": "|i1",
    "equal_low": "|b1",
    "flipped": "|b1",
}
_TRACE_TYPES: dict[str, str] = {
    **dict.fromkeys(("node", "column", "n_cuts", "step_node"), "<i4"),
    **dict.fromkeys(("verdict", "step_action"), "|i1"),
    **dict.fromkeys(("gain", "charge", "split_information", "score", "cut", "average_gain"), "<f8"),
    **dict.fromkeys(("step_leaf", "step_subtree", "step_branch"), "<f8"),
}
_OPTIONAL = {
    *("prior", "surrogate_start", "surrogates", "alternative_start", "alternatives"),
    *("agreement", "flipped", "term_start", "term_column", "term_coefficient"),
    *("intercept", "residual", "term_fill", "term_code_start", "term_codes"),
}
_HEADER = re.compile(
    rb"\{'descr': '([<|][fib][148])', 'fortran_order': False, 'shape': \((\d{1,10}), ?(\d{1,10})?\), \} *\n"
)
_END_OF_ZIP = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR_BYTES = 20
# Everything that the standard library may raise on a damaged zip or JSON.
_DAMAGE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError,
    NotImplementedError, RuntimeError, OverflowError, struct.error,
)  # fmt: skip


def save(
    model: Model,
    path: str | os.PathLike[str],
    provenance: Mapping[str, Any] | None = None,
    trace: Trace | None = None,
) -> None:
    """Write a model to a file.

    The file appears whole or not at all: it is written beside its place, brought to disk, and renamed.

    Parameters
    ----------
    model : Tree, RuleList, LinearModel or DiscretizedModel
        What to keep.
    path : path
        Where; an older file is replaced.
    provenance : mapping, optional
        How the model came about, as plain data: scheme, parameters, seed, fingerprint of the data. The version of this
        package is added.
    trace : Trace, optional
        How the tree was grown and pruned.
    """
    data = to_bytes(model, provenance, trace)
    place = Path(path)
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(6)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(place)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(place.parent)


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
    Tree, RuleList, LinearModel or DiscretizedModel
        Checked in full.

    Raises
    ------
    ModelFileError
        Where the file is not a model file, is damaged, or holds a model that contradicts itself.
    """
    return from_bytes(_read(path, most_bytes), str(path))


def read_provenance(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """How the model in a file came about: version, scheme, parameters, seed, fingerprint of the data."""
    return _Package(_read(path, most_bytes), str(path)).provenance


def read_trace(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Trace | None:
    """How the tree in a file was grown and pruned, or None where that was not kept."""
    return _Package(_read(path, most_bytes), str(path)).trace()


def to_bytes(model: Model, provenance: Mapping[str, Any] | None = None, trace: Trace | None = None) -> bytes:
    """Give the content of a model file; the same for the same model and provenance."""
    model.validate()
    plain: dict[str, Any] = {"provenance": {"hornbeam": _version(), **(provenance or {})}}
    members: dict[str, bytes] = {}
    kind = _add_model(members, "", model, plain)
    if trace is not None:
        if kind != "tree":
            msg = f"a trace tells how a tree was grown; {KINDS[kind]} was given with one"
            raise ModelError(msg)
        check_trace(trace)
        plain["grown"] = {}
        _add_model(members, "trace/grown/", trace.grown, plain["grown"])
        for name in _TRACE_TYPES:
            members[f"trace/{name}.npy"] = _array_bytes(getattr(trace, name))
    try:
        members[MODEL] = _json_bytes(plain)
    except (TypeError, ValueError) as error:
        msg = f"the provenance cannot be written as JSON: {error}"
        raise ModelError(msg) from None
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "kind": kind,
        "members": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in members.items()
        },
    }
    if sum(map(len, members.values())) > MOST_BYTES - 2**20:
        msg = f"the model takes more than {MOST_BYTES} bytes; a model file cannot hold it"
        raise ModelError(msg)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for name, data in {MANIFEST: _json_bytes(manifest), **members}.items():
            # The date is the oldest a zip can have: the same model gives the same bytes on any day.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue()


def from_bytes(data: bytes, name: str = "the model file") -> Any:  # noqa: ANN401 - one of KINDS
    """Give the model in the content of a model file; see `load`."""
    return _Package(data, name).model()


class _Package:
    """The members of a model file, their checksums compared, nothing else believed yet."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        try:
            self.members = _open(data)
            manifest = _parse(self.members.pop(MANIFEST))
            self._check_manifest(manifest)
            self.kind = manifest["kind"]
            self.plain = _parse(self.members[MODEL])
            self.provenance: dict[str, Any] = dict(self.plain["provenance"])
        except ModelFileError as error:
            msg = f"{name}: {error}"
            raise ModelFileError(msg) from None
        except _DAMAGE as error:
            msg = f"{name}: the file is damaged, or is not a model file ({type(error).__name__}: {error})"
            raise ModelFileError(msg) from None

    def model(self) -> Model:
        try:
            return self._model("", self.kind, self.plain)
        except _DAMAGE as error:
            raise self._refusal(error) from None

    def _model(self, folder: str, kind: str, plain: Any) -> Model:  # noqa: ANN401 - whatever the file holds
        if kind == "rules":
            return rules_from_plain(plain["rules"], Schema.from_json(plain["schema"]))
        if kind == "linear":
            return linear_from_plain(plain["linear"], Schema.from_json(plain["schema"]))
        if kind == "discretized":
            return self._discretized(folder, plain)
        return self._tree(folder, plain)

    def _discretized(self, folder: str, plain: Any) -> DiscretizedModel:  # noqa: ANN401 - whatever the file holds
        inner = plain["discretized"]["classifier"]
        if inner["kind"] not in ("tree", "rules"):
            msg = f"intervals are classified by a model of kind {inner['kind']!r}; expected tree or rules"
            raise ModelError(msg)
        classifier = self._model(f"{folder}classifier/", inner["kind"], inner)
        *values, default = numbers_from_plain([*plain["discretized"]["values"], plain["discretized"]["default"]])
        model = DiscretizedModel(Schema.from_json(plain["schema"]), classifier, np.array(values), default)
        model.validate()
        return model

    def trace(self) -> Trace | None:
        if "grown" not in self.plain:
            return None
        try:
            arrays = {name: self._array(f"trace/{name}.npy", dtype) for name, dtype in _TRACE_TYPES.items()}
            trace = Trace(grown=self._tree("trace/grown/", self.plain["grown"]), **arrays)
            check_trace(trace)
        except _DAMAGE as error:
            raise self._refusal(error) from None
        return trace

    def _refusal(self, error: Exception) -> ModelFileError:
        known = isinstance(error, ModelError | SchemaError)
        reason = str(error) if known else f"{type(error).__name__}: {error}"
        return ModelFileError(f"{self.name}: the file does not hold a sound model: {reason}")

    def _check_manifest(self, manifest: Any) -> None:  # noqa: ANN401 - whatever the file holds
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            msg = "a zip file, but not a model file: its manifest does not say so"
            raise ModelFileError(msg)
        if manifest.get("version") != FORMAT_VERSION:
            msg = f"written in format version {manifest.get('version')!r}; this program reads version {FORMAT_VERSION}"
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

    def _tree(self, folder: str, plain: Any) -> Tree:  # noqa: ANN401 - whatever the file holds
        pseudo_count = plain["pseudo_count"]
        if isinstance(pseudo_count, bool) or not isinstance(pseudo_count, int | float):
            msg = "pseudo_count is not a number"
            raise ModelError(msg)
        recipe = recipe_from_plain(plain.get("recipe", {}))
        splits = SplitStore(**self._arrays(f"{folder}splits/", _SPLIT_TYPES))
        arrays = self._arrays(folder, _TREE_TYPES)
        tree = Tree(
            Schema.from_json(plain["schema"]), splits, **arrays, pseudo_count=float(pseudo_count), recipe=recipe
        )
        tree.validate()
        return tree

    def _arrays(self, folder: str, types: Mapping[str, str]) -> dict[str, Any]:
        return {
            name: self._array(f"{folder}{name}.npy", dtype)
            for name, dtype in types.items()
            if name not in _OPTIONAL or f"{folder}{name}.npy" in self.members
        }

    def _array(self, name: str, dtype: str) -> NDArray[Any]:
        if name not in self.members:
            msg = f"the array {name!r} is not there"
            raise ModelError(msg)
        return _parse_array(name, self.members[name], dtype)


def _open(data: bytes) -> dict[str, bytes]:
    """Give the members of a zip that holds nothing unusual; sizes are compared before anything is read."""
    size = _END_OF_ZIP.size
    if len(data) < size or data[:4] != b"PK\x03\x04":
        msg = "not a model file (it does not begin like one)"
        raise ModelFileError(msg)
    signature, disk, first_disk, here, count, length, start, comment = _END_OF_ZIP.unpack(data[-size:])
    if signature != b"PK\x05\x06" or comment or disk or first_disk or here != count:
        msg = "the end of the file is not that of a model file: it was cut off, or something was added"
        raise ModelFileError(msg)
    extended = data[-size - _ZIP64_LOCATOR_BYTES :][:4] == b"PK\x06\x07"
    if count > MOST_MEMBERS or start + length + size != len(data) or extended:
        msg = "the table of contents of the file is not that of a model file"
        raise ModelFileError(msg)
    members: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > len(data):
            msg = "its members claim to be larger than the file"
            raise ModelFileError(msg)
        for entry in entries:
            if (
                entry.compress_type != zipfile.ZIP_STORED
                or entry.file_size != entry.compress_size
                or entry.flag_bits & 1
            ):
                msg = f"the member {entry.filename!r} is compressed or encrypted; model files are neither"
                raise ModelFileError(msg)
            if entry.filename in members:
                msg = f"the member {entry.filename!r} is there twice"
                raise ModelFileError(msg)
            members[entry.filename] = archive.read(entry)
    if MANIFEST not in members or MODEL not in members:
        msg = f"a zip file, but not a model file: it has no {MANIFEST} or no {MODEL}"
        raise ModelFileError(msg)
    return members


def _parse(data: bytes) -> Any:  # noqa: ANN401 - whatever the file holds
    if len(data) > MOST_JSON_BYTES:
        msg = f"a JSON member has {len(data)} bytes; expected {MOST_JSON_BYTES} at most"
        raise ModelFileError(msg)
    return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)


def _refuse_constant(text: str) -> float:
    msg = f"{text} is not a number in JSON"
    raise ModelFileError(msg)


def _parse_array(name: str, data: bytes, dtype: str) -> NDArray[Any]:
    """Read the one form of .npy that `save` writes: version 1.0, C order, one or two dimensions, a plain type."""
    if data[:8] != b"\x93NUMPY\x01\x00":
        msg = f"{name!r} is not an array file"
        raise ModelError(msg)
    body = 10 + int.from_bytes(data[8:10], "little")
    match = _HEADER.fullmatch(data[10:body])
    if match is None or match[1].decode() != dtype:
        msg = f"{name!r} has an unexpected header; expected an array of {dtype}"
        raise ModelError(msg)
    shape = tuple(int(part) for part in match.groups()[1:] if part is not None)
    count = 1
    for extent in shape:
        count *= extent
    if len(data) - body != count * np.dtype(dtype).itemsize:
        msg = f"{name!r} has {len(data) - body} bytes of values; its shape {shape} needs another number"
        raise ModelError(msg)
    if dtype == "|b1" and np.frombuffer(data, np.uint8, offset=body).max(initial=0) > 1:
        msg = f"{name!r} holds truth values that are neither true nor false"
        raise ModelError(msg)
    array = np.frombuffer(data, dtype, count, body).reshape(shape)
    native = array.astype(array.dtype.newbyteorder("="), copy=not array.flags.aligned)
    native.flags.writeable = False
    return native


def _add_model(members: dict[str, bytes], folder: str, model: Model, plain: dict[str, Any]) -> str:
    """Put a model's arrays to the members and the rest to the plain data; give its kind."""
    plain["schema"] = model.schema.to_json()
    if isinstance(model, Tree):
        plain["pseudo_count"] = float(model.pseudo_count)
        plain["recipe"] = dict(model.recipe)
        _add_tree(members, folder, model)
        return "tree"
    if isinstance(model, LinearModel):
        plain["linear"] = linear_to_plain(model)
        return "linear"
    if isinstance(model, DiscretizedModel):
        inner: dict[str, Any] = {}
        inner["kind"] = _add_model(members, f"{folder}classifier/", model.classifier, inner)
        plain["discretized"] = {"values": model.values.tolist(), "default": model.default, "classifier": inner}
        return "discretized"
    plain["rules"] = rules_to_plain(model)
    return "rules"


def _add_tree(members: dict[str, bytes], folder: str, tree: Tree) -> None:
    for name, array in tree.arrays().items():
        members[f"{folder}{name}.npy"] = _array_bytes(array)
    for name, array in tree.splits.arrays().items():
        members[f"{folder}splits/{name}.npy"] = _array_bytes(array)


def _array_bytes(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    np.lib.format.write_array(buffer, little, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _json_bytes(plain: Any) -> bytes:  # noqa: ANN401 - plain data
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def _read(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    place = Path(path)
    if place.exists() and not place.is_file():
        msg = f"{place}: not a file"
        raise ModelFileError(msg)
    with place.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        msg = f"{place}: larger than {most_bytes} bytes; a model file may have that many at most"
        raise ModelFileError(msg)
    return data


def _sync_folder(folder: Path) -> None:
    """Bring the renaming to disk too, where the system lets a folder be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def _version() -> str:
    try:
        return importlib.metadata.version("hornbeam")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


_UNTYPED = {f.name for f in fields(Tree)} - NOT_ARRAYS - _TREE_TYPES.keys()
_UNTYPED |= {f.name for f in fields(SplitStore)} - _SPLIT_TYPES.keys()
assert not _UNTYPED, f"arrays without a type in model files: {_UNTYPED}"
