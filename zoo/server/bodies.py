"""Bodies of requests, as they are or compressed with gzip, up to a number of bytes."""

import zlib
from collections.abc import AsyncIterator

from zoo.server.limits import BeyondLimit, RequestError

GZIP = 16 + zlib.MAX_WBITS  # for zlib: with the header of a gzip file


async def read_body(parts: AsyncIterator[bytes], encoding: str, most: int) -> bytes:
    """The content of a body.

    Args:
        parts: The body, in parts.
        encoding: The header `Content-Encoding`; empty if there is none.
        most: The largest number of bytes, also of what a compressed body contains.

    Raises:
        RequestError: If it has more bytes, another encoding, or is damaged.
    """
    content, inflated = encoding.strip().lower(), bytearray()
    if content not in ("", "identity", "gzip", "x-gzip"):
        raise RequestError("the Content-Encoding must be gzip, or there must be none", 415)
    received, gzip = 0, zlib.decompressobj(GZIP) if content.endswith("gzip") else None
    async for part in parts:
        received += len(part)
        if gzip is None:
            inflated += part
        else:
            gzip = _inflate(gzip, part, inflated, most)
        if max(received, len(inflated)) > most:
            raise BeyondLimit(f"the body is larger than {most} bytes")
    if gzip is not None and not gzip.eof and received:
        raise RequestError("the gzip file of the body is cut off")
    return bytes(inflated)


def _inflate(
    gzip: "zlib._Decompress", part: bytes, inflated: bytearray, most: int
) -> "zlib._Decompress":
    """Adds what a part contains, at most one byte too many; a gzip file may follow another one."""
    try:
        while part and len(inflated) <= most:
            if gzip.eof:
                gzip = zlib.decompressobj(GZIP)
            inflated += gzip.decompress(part, most + 1 - len(inflated))
            part = gzip.unconsumed_tail or gzip.unused_data
    except zlib.error:
        raise RequestError("the body is not a gzip file, or is damaged") from None
    return gzip
