"""The reader of model files: checksums are compared, then the model is read and checked.

Nothing in a file is trusted. Array headers are matched against the one form that is ever written, and a model is
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
from hornbeam.model.base.errors import ModelError, ModelFileError
from hornbeam.model.base.stored import Members
from hornbeam.model.files.kinds import KINDS, class_of
from hornbeam.model.files.members import MANIFEST, MODEL, open_members, parse_array, parse_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.base.model import Model
    from hornbeam.model.trees.node_figures import LeafCalibration
    from hornbeam.model.trees.trace import Trace

FORMAT = "hornbeam model"
FORMAT_VERSION = 2
UNIT_VERSION = 2  # forests whose values are distances from a base
# Everything that the standard library may raise on a damaged zip or JSON.
DAMAGE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError,
    NotImplementedError, RuntimeError, OverflowError, struct.error,
)  # fmt: skip


class Package:
    """The members of a model file, their checksums compared, nothing else checked yet."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        try:
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
        """Return how the tree was grown and pruned; None where the file does not say."""
        if "grown" not in self.plain:
            return None
        from hornbeam.model.trees.invariants import check_trace  # noqa: PLC0415 - only for trees
        from hornbeam.model.trees.trace import Trace  # noqa: PLC0415 - the same

        try:
            members = Members(self._array, self.members.__contains__, self._model, "trace/")
            grown: Any = self._model("trace/grown/", {**self.plain["grown"], "kind": "tree"})
            trace = Trace(grown=grown, **members.arrays(Trace.ARRAYS))
            check_trace(trace)
        except DAMAGE as error:
            raise self._refusal(error) from None
        return trace

    def calibration(self) -> dict[int, LeafCalibration] | None:
        """Return the sets of classes or the intervals at the leaves or rules, by node; None where there are none."""
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
            msg = "a zip file, but not a model file: its manifest does not say so"
            raise ModelFileError(msg)
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
            msg = f"the array {name!r} is not there"
            raise ModelError(msg)
        return parse_array(name, self.members[name], dtype)
