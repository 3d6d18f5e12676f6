"""The content security policy of a report: only its own style and script run."""

import base64
import hashlib


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy of a page whose only inline code is a style and a script.

    Images and sounds are part of the page; nothing is fetched. Style attributes are refused, too,
    except those that the script sets.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {digest(style)}",
            f"script-src {digest(script)}",
            "img-src data:",
            "media-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def digest(code: str) -> str:
    """The source expression of code between two tags.

    Example:
        >>> digest("")
        "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
