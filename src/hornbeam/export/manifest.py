"""The manifest of an export: what it was made from, which columns it takes, and what it returns.

Every export has it as one line of JSON after a marker, in a comment or a metadata field of the format.
`hornbeam check` reads it to run the export and compare it with the model that it was made from.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.export.program import column_plain, target_plain
from hornbeam.export.writers import unwrap
from hornbeam.model.files.members import array_bytes, package_version

if TYPE_CHECKING:
    import os

    from hornbeam.export.writers import Exportable
    from hornbeam.model.base.model import Model

MANIFEST = "hornbeam-manifest"
MARKER = f"{MANIFEST}: "  # in JSON the name is in quotes
MISSING = "None, NULL, NaN, an empty field and categories not listed are missing values"
UNSAFE = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&'*/"})  # could close a comment or start markup


def fingerprint(model: Model) -> str:
    """Return the SHA-256 of what a model predicts from: its columns, its content and its decision rule.

    Provenance is not included, so that a model saved by another version of hornbeam has the same fingerprint.
    """
    plain = {"kind": model.KIND, "schema": model.schema.to_json(), **model.file_entries()}
    if model.decision is not None:
        plain["decision"] = model.decision.to_json()
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
    for name, array in sorted(model.file_arrays().items()):
        digest.update(name.encode() + b"\0" + array_bytes(array))
    return digest.hexdigest()


def manifest(model: Exportable, format_name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any entry
    """Return the manifest of an export of a model, with further entries of the format."""
    _, plain = unwrap(model)
    schema = plain.schema
    return {
        "format": format_name,
        **more,
        "hornbeam": package_version(),
        "kind": plain.KIND,
        "fingerprint": fingerprint(plain),
        "columns": [column_plain(schema.columns[position]) for position in schema.features],
        "target": target_plain(plain),
        "missing": MISSING,
    }


def manifest_line(model: Exportable, format_name: str, **more: Any) -> str:  # noqa: ANN401 - any entry
    """Return the marker and the manifest as one line that is safe inside a comment of any language."""
    text = json.dumps(manifest(model, format_name, **more), separators=(",", ":"), allow_nan=False)
    return MARKER + escaped(text)


def escaped(text: str) -> str:
    """Escape what could close a comment or start markup inside the strings of a JSON text.

    Only strings have such characters, except the minus sign of a number, which is left as it is.
    """
    text = text.translate(UNSAFE)
    if "-" not in text:
        return text
    return re.sub(r'"(?:[^"\\]|\\.)*"', lambda match: match.group().replace("-", "\\u002d"), text)


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the manifest of an exported file.

    Raises
    ------
    ValueError
        If the file has none.
    """
    data = Path(path).read_bytes()
    if data.startswith(b"PK"):
        data = _of_workbook(data)
    marker = next((each.encode() for each in (MARKER, f'"{MANIFEST}": ') if each.encode() in data), None)
    if marker is not None:
        text = data[data.index(marker) + len(marker) :].decode("utf-8", "replace")
        try:
            found, _ = json.JSONDecoder().raw_decode(text)
        except ValueError:
            found = None
        if isinstance(found, dict) and "format" in found:
            return found
    msg = f"{path}: no manifest found; expected a file written by `hornbeam export` or `hornbeam.export`"
    raise ValueError(msg)


def _of_workbook(data: bytes) -> bytes:
    """Return the texts of the sheet ``manifest``, joined; nothing if there is no such sheet."""
    try:
        import python_calamine
    except ImportError:
        raise ImportError("reading a workbook needs python-calamine: pip install 'hornbeam[excel]'") from None
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        rows = book.get_sheet_by_name("manifest").to_python()
    except (python_calamine.CalamineError, python_calamine.WorksheetNotFound):
        return b""
    return "".join(str(row[0]) for row in rows if row).encode()
