"""The members of a model file: a zip archive of JSON and .npy arrays in one strict form.

Models are handled in `hornbeam.model.files.storage`, not here. Sizes are compared before anything is read, array
headers must have the one form that is written, and pickle is not used.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import math
import os
import re
import struct
import zipfile
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.model.base.plain import ModelError, ModelFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.model.base.model import Model

MOST_BYTES = 2**32 - 2**16  # the limit of zip files without extensions
MOST_MEMBERS = 2**16 - 2  # the same
MOST_JSON_BYTES = 2**26  # takes about 30 times as much memory when it is read
MANIFEST, MODEL = "manifest.json", "model.json"
_HEADER = re.compile(
    rb"\{'descr': '([<|][fib][148])', 'fortran_order': False, 'shape': \((\d{1,10}), ?(\d{1,10})?\), \} *\n"
)
_END_OF_ZIP = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR_BYTES = 20


KINDS: dict[str, tuple[str, str]] = {
    "tree": ("a tree", "trees.tree.Tree"),
    "rules": ("a list of rules", "rules.rule.RuleList"),
    "linear": ("a linear model", "linear.linear.LinearModel"),
    "discretized": ("a classifier of intervals", "linear.discretized.DiscretizedModel"),
    "forest": ("a forest", "forests.forest.Forest"),
    "ensemble": ("several models that predict together", "forests.ensemble.Ensemble"),
    "instances": ("training rows, of which the nearest predict", "neighbors.instances.Instances"),
    "kstar": ("training rows with an entropic distance", "neighbors.kstar.KStarModel"),
    "local": ("training rows for local regressions", "neighbors.local.LocalModel"),
    "local-learner": ("training rows for local classifiers", "neighbors.local_learner.LocalLearner"),
    "exemplars": ("boxes of rows of one class", "neighbors.exemplars.Exemplars"),
    "partition": ("clusters with a center each", "clusters.partition.Partition"),
    "mixture": ("a mixture of distributions", "clusters.mixture.Mixture"),
    "corrected": ("a model corrected by the nearest training rows", "neighbors.corrected.CorrectedModel"),
    "svm": ("a support vector machine", "svm.svm.SVM"),
    "concepts": ("a tree of concepts", "clusters.concepts.ConceptTree"),
    "projected": ("clusters on principal axes", "clusters.projected.ProjectedClusters"),
    "dendrogram": ("a hierarchy of clusters", "clusters.dendrogram.Dendrogram"),
    "graph-clusters": ("clusters of a graph of rows", "clusters.graph_clusters.GraphClusters"),
    "several": ("a model for each of several targets", "base.several.SeveralModels"),
}


def class_of(kind: str) -> type[Model]:
    """Return the class of the models of a kind."""
    module, _, name = KINDS[kind][1].rpartition(".")
    found: type[Model] = getattr(import_module(f"hornbeam.model.{module}"), name)
    return found


def open_members(data: bytes) -> dict[str, bytes]:
    """Return the members of a zip file; sizes are compared before anything is read."""
    size = _END_OF_ZIP.size
    if len(data) < size or data[:4] != b"PK\x03\x04":
        raise ModelFileError("not a model file (the first bytes are wrong)")
    signature, disk, first_disk, here, count, length, start, comment = _END_OF_ZIP.unpack(data[-size:])
    if signature != b"PK\x05\x06" or comment or disk or first_disk or here != count:
        raise ModelFileError("the end of the file is not that of a model file: it was cut off, or something was added")
    extended = data[-size - _ZIP64_LOCATOR_BYTES :][:4] == b"PK\x06\x07"
    if count > MOST_MEMBERS or start + length + size != len(data) or extended:
        raise ModelFileError("the table of contents of the file is not that of a model file")
    members: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > len(data):
            raise ModelFileError("the sizes of its members add up to more than the file")
        for entry in entries:
            if (
                entry.compress_type != zipfile.ZIP_STORED
                or entry.file_size != entry.compress_size
                or entry.flag_bits & 1
            ):
                msg = f"the member {entry.filename!r} is compressed or encrypted; model files are neither"
                raise ModelFileError(msg)
            if entry.filename in members:
                msg = f"the member {entry.filename!r} occurs twice"
                raise ModelFileError(msg)
            members[entry.filename] = archive.read(entry)
    if MANIFEST not in members or MODEL not in members:
        msg = f"a zip file, but not a model file: it has no {MANIFEST} or no {MODEL}"
        raise ModelFileError(msg)
    return members


def parse_json(data: bytes) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return the plain data of a JSON member; numbers must be numbers."""
    if len(data) > MOST_JSON_BYTES:
        msg = f"a JSON member has {len(data)} bytes; expected at most {MOST_JSON_BYTES}"
        raise ModelFileError(msg)
    return json.loads(data.decode("utf-8"), parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        msg = f"{text:.40} is not a finite number"
        raise ModelFileError(msg)
    return number


def parse_array(name: str, data: bytes, dtype: str) -> AnyArray:
    """Read a .npy array in the form that `save` writes: version 1.0, C order, one or two dimensions, a plain type."""
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
        msg = f"{name!r} has {len(data) - body} bytes of values; its shape {shape} needs a different number"
        raise ModelError(msg)
    if dtype == "|b1" and np.frombuffer(data, np.uint8, offset=body).max(initial=0) > 1:
        msg = f"{name!r} holds truth values that are neither true nor false"
        raise ModelError(msg)
    array = np.frombuffer(data, dtype, count, body).reshape(shape)
    native = array.astype(array.dtype.newbyteorder("="), copy=not array.flags.aligned)
    native.flags.writeable = False
    return native


def pack_members(members: Mapping[str, bytes]) -> bytes:
    """Return the content of a file with these members; equal members give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for name, data in members.items():
            # The oldest date of the zip format, so that the same model gives the same bytes on any day.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue()


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file completely or not at all: to a temporary file that is flushed to disk and renamed."""
    from hornbeam.data.replacing import whole_file  # noqa: PLC0415 - not needed to read

    check_name(path)
    with whole_file(path, to_disk=True) as file:
        file.write(data)


def array_bytes(array: AnyArray) -> bytes:
    """Return an array as a .npy file of version 1.0, little-endian."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return _array_header(little.dtype, little.shape) + little.tobytes()


@lru_cache(1024)
def _array_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Return the header of a .npy file; writing one takes longer than writing a short array."""
    buffer = io.BytesIO()
    entries = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, entries)
    return buffer.getvalue()


def json_bytes(plain: Any) -> bytes:  # noqa: ANN401 - plain data
    """Return plain data as JSON, without spaces."""
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


@cache
def package_version() -> str:
    """Return the version of this package, which is stored in model files."""
    try:
        return importlib.metadata.version("hornbeam")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def check_json_size(data: bytes) -> None:
    """Raise a ModelError if the JSON is too large to be read back."""
    if len(data) > MOST_JSON_BYTES:
        msg = (
            f"the model takes {len(data)} bytes besides its arrays, and a model file may have {MOST_JSON_BYTES}; learn "
            "fewer rules or members, or leave out columns with very many categories"
        )
        raise ModelError(msg)


def check_name(path: str | os.PathLike[str]) -> None:
    """Raise an error for a path that no file can have."""
    if "\0" in os.fsdecode(path):
        msg = f"the path {os.fsdecode(path)!r} has a null character, which no file name can have"
        raise ModelFileError(msg)


def read_bytes(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """Return the content of a file that is no larger than allowed."""
    check_name(path)
    place = Path(path)
    if place.exists() and not place.is_file():
        msg = f"{place}: not a file"
        raise ModelFileError(msg)
    with place.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(size + 1) if size <= most_bytes else b""  # one byte more: the file may grow while it is read
    if max(size, len(data)) > most_bytes:
        msg = f"{place}: larger than {most_bytes} bytes, the limit for a model file"
        raise ModelFileError(msg)
    return data
