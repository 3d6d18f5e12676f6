"""The first bytes of files that are no text."""

# Files that are no text, by their first bytes: what they are, and what to do.
OFFICE, UNPACK = "save its table as CSV", "unpack it"
SHEET = "save it as an Excel workbook (.xlsx), or its table as CSV"
# The first entry of the archive: the name, and then the content of the file `mimetype`.
OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
SIGNATURES = {
    b"PK\x03\x04": (
        "an Excel or OpenDocument file, or a ZIP archive",
        f"{OFFICE}, let its name end in .xlsx, or {UNPACK}",
    ),
    b"\xd0\xcf\x11\xe0": ("an old Excel or Word file", SHEET),
    b"%PDF-": ("a PDF file", "write its text to a .txt file"),
    b"\x1f\x8b": ("compressed with gzip", "let its name end in .gz"),
    b"\x28\xb5\x2f\xfd": ("compressed with Zstandard", "let its name end in .zst"),
    b"BZh9": ("compressed with bzip2", UNPACK),
    b"\xfd7zXZ\x00": ("compressed with xz", UNPACK),
    b"7z\xbc\xaf'\x1c": ("a 7z archive", UNPACK),
    b"Rar!\x1a": ("a RAR archive", UNPACK),
    b"PAR1\x15": ("a Parquet file", "let its name end in .parquet"),
    b"ARROW1\x00": ("an Arrow file", "let its name end in .arrow"),
    b"SQLite format 3\x00": ("an SQLite database", "export a table as CSV"),
    b"\x89HDF": ("an HDF5 file", "write its data to CSV or Parquet"),
    b"\x93NUMPY": ("a NumPy array", "write it to an .npz file with the names of its arrays"),
}
LONGEST_SIGNATURE = 96  # bytes, of which an archive has up to 42 before its first name


def not_text(start: bytes) -> str | None:
    """What a file is that is no text, and what to do; None for one that may be text.

    Example:
        >>> not_text(b"%PDF-1.7"), not_text(b"PAR1,a gene")
        ('a PDF file, not text: write its text to a .txt file', None)
    """
    if start.startswith(b"PK\x03\x04") and OPEN_DOCUMENT in start[:LONGEST_SIGNATURE]:
        return f"an OpenDocument spreadsheet, not text: {SHEET}"
    for signature, (what, advice) in SIGNATURES.items():
        if start.startswith(signature):
            return f"{what}, not text: {advice}"
    return None
