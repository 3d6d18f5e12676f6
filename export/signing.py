"""The check of a manifest's signature, as `model_signing sign key` makes it."""

from __future__ import annotations

import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from export import manifest
from export.extras import check_extra
from export.report import Check
from export.worker.files import read

FILE = f"{manifest.FILE}.sig"
NAME = "signed manifest"  # of the check
LARGEST = 2**20  # bytes of a signature that is read


def check_signature(folder: Path, content: bytes, public_key: Path) -> Check:
    """Checks that the content of `manifest.json` is what the owner of a key signed.

    Args:
        folder: The folder that holds the artifact, `manifest.json` and `manifest.json.sig`.
        content: What was read from `manifest.json`, and will be used.
        public_key: A PEM file of the public key.

    Raises:
        ValueError: If the file of the key cannot be used, or the package is missing.
    """
    check_extra("sign")
    verifier = _verifier(public_key)
    file = folder / FILE
    try:
        signature = read(file, LARGEST)
        # The verifier takes files: these are ours, with what was read.
        with tempfile.TemporaryDirectory() as own, redirect_stdout(sys.stderr):  # it prints
            (Path(own) / manifest.FILE).write_bytes(content)
            (Path(own) / FILE).write_bytes(signature)
            verifier.verify((Path(own) / manifest.FILE).resolve(), Path(own) / FILE)
    except FileNotFoundError:
        return Check(NAME, False, f"{file} is missing: the artifact is not signed")
    except Exception:  # whatever it raises for a file that others made: it proves nothing
        return Check(
            NAME,
            False,
            f"{file} does not belong to {public_key} and this {manifest.FILE}: another key signed "
            "it, or one of the files was changed",
        )
    return Check(NAME, True, f"{manifest.FILE} was signed with the key of {public_key}")


def _verifier(public_key: Path) -> Any:
    from model_signing import verifying

    try:
        return verifying.Config().use_elliptic_key_verifier(public_key=public_key)
    except OSError as error:
        raise ValueError(f"public_key cannot be read: {public_key}: {error.strerror}.") from error
    except Exception as error:  # of each other kind of key, and of each other file, another one
        raise ValueError(
            f"public_key must be a PEM file of a public key on one of the elliptic curves P-256, "
            f"P-384 and P-521; {public_key} is not."
        ) from error
