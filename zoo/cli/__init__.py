"""The command line `keras-attn`: a thin layer over `zoo` and `export`."""

import sys

from zoo.errors import USER_ERROR, missing_package


def main() -> None:
    """The console script `keras-attn`."""
    try:
        from zoo.cli.app import main as run  # without the extra `zoo`, there is no Typer
    except ModuleNotFoundError as error:
        message = missing_package(error)
        if message is None:
            raise
        print(f"keras-attn: {message}", file=sys.stderr)
        sys.exit(USER_ERROR)
    run()
