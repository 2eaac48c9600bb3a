"""Gzipped files, unpacked up to a limit: a small file may unpack to a thousand times its size."""

from __future__ import annotations

import io
import zlib

from hornbeam.data.errors import DataError

BLOCK = 1 << 20
ALWAYS = 1 << 28  # bytes that any file may unpack to
RATIO = 200  # a larger file may unpack to this many times its size
_GZIP = 31  # zlib's name for a gzip header and checksum


def unzipped(data: bytes) -> bytes:
    """Unpack a gzip file of one part or several; DataError where it is damaged or unpacks to too much."""
    most = max(ALWAYS, RATIO * len(data))
    out = io.BytesIO()
    unpacker = zlib.decompressobj(_GZIP)
    try:
        for start in range(0, len(data), BLOCK):
            piece = data[start : start + BLOCK]
            while piece:
                if unpacker.eof:  # another part, or zeros that fill a block
                    piece = piece.lstrip(b"\0")
                    unpacker = zlib.decompressobj(_GZIP) if piece else unpacker
                    if not piece:
                        break
                out.write(unpacker.decompress(piece, most + 1 - out.tell()))
                if out.tell() > most:
                    msg = (
                        f"the gzip file of {len(data)} bytes unpacks to more than {most}; if that is right, unpack it "
                        "first and read the unpacked file"
                    )
                    raise DataError(msg)
                piece = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    except zlib.error as error:
        msg = f"the gzip file is damaged: {error}"
        raise DataError(msg) from None
    if not unpacker.eof:
        msg = "the gzip file is damaged: it ends too early"
        raise DataError(msg)
    return out.getvalue()
