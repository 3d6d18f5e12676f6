"""The command-line program: its commands, and one-line messages for user errors."""

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from zoo.cli.commands import Commands
from zoo.cli.memory import keep_freed_memory
from zoo.cli.notes import notes_shown
from zoo.ctrl_c import INTERRUPTED, CtrlC
from zoo.errors import USER_ERROR, UserError, has_errno, missing_package
from zoo.option_names import typed_options


class CommandGroup(Commands):
    """The group of all commands; reports a user error as one line on standard error."""

    def main(self, *args: Any, **options: Any) -> Any:
        options["standalone_mode"] = False  # Click raises errors instead of exiting
        try:
            _check_unicode(args[0] if args and args[0] else options.get("args") or sys.argv[1:])
            with notes_shown(), typed_options():
                status = super().main(*args, **options)
        except (UserError, typer.TyperException) as error:
            status = _fail(_one_line(error))
        except typer.Abort:
            status = INTERRUPTED
        except Exception as error:
            message = _system_message(error)
            if message is None:
                raise
            status = _fail(message)
        sys.exit(status if isinstance(status, int) else 0)


def _check_unicode(arguments: Iterable[str]) -> None:
    for argument in arguments:
        try:
            os.fsencode(argument).decode()
        except UnicodeError:
            raise UserError(f"the argument {argument!r} is not UTF-8") from None


def _fail(message: str) -> int:
    if message.strip():  # otherwise the help has been printed
        print(f"keras-attn: {' '.join(message.split())}", file=sys.stderr)
    return USER_ERROR


def _one_line(error: Exception) -> str:
    """The message of an error; for an unknown option or command, with the closest known one."""
    if not isinstance(error, typer.TyperException):
        return str(error)
    if isinstance(error, typer.BadParameter) and (number := _not_a_number(error)):
        return number
    message = error.format_message().replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    command, path = context.command, context.command_path
    if message.startswith("No such command"):
        name = message.split("'")[1]
        what = "task" if command.name in ("train", "prepare") else "command"
        known = command.list_commands(context)
        hint = _closest(name, known, f"choose from {', '.join(known)}")
        return f"unknown {what} {name!r}; {hint}"
    if message.startswith("Missing "):
        return f"{message} See {path} --help"
    unknown = getattr(error, "option_name", None)
    if unknown is None or not hasattr(error, "possibilities"):
        return message
    known = [name for param in command.params for name in param.opts if name[0] == "-"]
    hint = _closest(unknown, known, f"see {path} --help")
    return f"{path.removeprefix('keras-attn ')} has no option {unknown}; {hint}"


def _not_a_number(error: Any) -> str | None:
    """A message for a value that is no number, or too small; None for any other error."""
    # Typer has Pydantic validate the values, and keeps its error as the cause.
    details: dict[str, Any] = getattr(error.__cause__, "errors", lambda: [{}])()[0]
    expected = {
        "int_parsing": "an integer",
        "float_parsing": "a number",
        "greater_than_equal": f"at least {details.get('ctx', {}).get('ge')}",
    }.get(details.get("type", ""))
    return expected and f"{error.param.opts[0]} must be {expected}, got {details['input']!r}"


def _closest(unknown: str, known: Iterable[str], otherwise: str) -> str:
    close = get_close_matches(unknown, known, n=1)
    return f"did you mean {close[0]}?" if close else otherwise


def _system_message(error: Exception) -> str | None:
    """A message for a full disk, a missing package and so on; None otherwise."""
    if isinstance(error, ModuleNotFoundError):
        return missing_package(error)
    name = error.filename if isinstance(error, OSError) else None
    writing = f", writing {name}" if name else ""
    if has_errno(error, errno.ENOSPC, errno.EDQUOT):
        return f"no space left on the disk{writing}"
    if has_errno(error, errno.EFBIG):
        return f"a file may not be that large{writing}: see ulimit -f, or take another disk"
    if isinstance(error, PermissionError):
        return f"{error.filename}: permission denied"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    # Of TensorFlow, which is not imported here.
    if isinstance(error, MemoryError) or type(error).__name__ == "ResourceExhaustedError":
        return "not enough memory: choose a smaller model, smaller batches or shorter inputs"
    return None


def _version(requested: bool) -> None:
    if requested:
        # Takes a tenth of a second to import.
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"keras-attn {version('keras-attn')}")
        except PackageNotFoundError:
            print("keras-attn (not installed)")
        raise typer.Exit


app = typer.Typer(
    cls=CommandGroup,
    name="keras-attn",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def keras_attn(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Train sequence models on your own files, and export them to SavedModel, LiteRT and ONNX."""


def _write_unicode() -> None:
    """Writes UTF-8 where the locale is ASCII, and escapes what other encodings do not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            encoding = "utf-8" if ascii_only else stream.encoding
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def main() -> None:
    """The console script `keras-attn`."""
    ctrl_c = CtrlC()
    ctrl_c.install()
    try:
        keep_freed_memory()
        _write_unicode()
        app(prog_name="keras-attn")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception:
        if not ctrl_c.pressed:
            raise
        sys.exit(INTERRUPTED)  # a library turned Ctrl-C into an error of its own
