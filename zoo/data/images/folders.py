"""Folders of images: a folder for each label, or the files of a list."""

import os
import stat
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

from zoo.data.images.content import FORMATS, MAX_BYTES, SUFFIXES, content_of, shape_of
from zoo.data.images.header import Shape
from zoo.errors import UserError
from zoo.option_names import option_value
from zoo.untrusted import check_inside

NAMED = 3  # maximum number of bad files that a message names
KNOWN = 1 << 20  # number of files whose check is remembered


def is_image(path: Path) -> bool:
    """Whether a file has the name of an image.

    Example:
        >>> is_image(Path("a.PNG")), is_image(Path(".a.png"))
        (True, False)
    """
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def class_folders(folder: Path) -> tuple[dict[str, list[Path]], int]:
    """The image files of each label, those in the folder of its name, and how many others.

    Raises:
        UserError: If a file or a folder is a link out of the folder, or a folder has no images.
    """
    by_label, others = {}, 0
    for inner in sorted(folder.iterdir()):
        if not inner.is_dir() or inner.name.startswith("."):
            continue
        check_inside(inner, folder)
        every = sorted(path for path in inner.iterdir() if not path.name.startswith("."))
        files = [path for path in every if is_image(path)]
        if not files:
            raise UserError(
                f"{inner} has no images: expected {FORMATS} files with the label {inner.name}; "
                "move the folder elsewhere if it is no label"
            )
        for path in files:
            check_inside(path, folder)
        by_label[inner.name] = files
        others += len(every) - len(files)
    return by_label, others


def check_files(paths: Iterable[Path]) -> list[Shape | str]:
    """The shape of each image, or why it cannot be read. Every image is decoded, in parallel.

    The header is read first, so that nothing is decoded that is too large.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(_checked, paths))


def _checked(path: Path) -> Shape | str:
    try:
        about = path.stat()
    except OSError as error:
        return error.strerror or "it cannot be read"
    if not stat.S_ISREG(about.st_mode):
        return "it is not a file"
    if about.st_size > MAX_BYTES:
        return f"it is larger than {MAX_BYTES >> 20} MB"
    return _decoded(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=KNOWN)
def _decoded(path: Path, *_: Any) -> Shape | str:
    """Training reads the same files several times: each version of a file is decoded once."""
    import tensorflow as tf

    from zoo.data.images.decode import decode

    try:
        shape = shape_of(path)
        height, width, _ = decode(content_of(path), shape.channels).shape
    except tf.errors.OpError:
        return "it is damaged"
    except UserError:
        return "it cannot be read"
    except ValueError as error:
        return str(error)
    return Shape(height, width, shape.channels)


def readable(
    files: Sequence[Path], skip: bool
) -> tuple[list[int], list[Shape], list[tuple[Path, str]]]:
    """Sorts out images that cannot be read.

    Args:
        files: The images.
        skip: Whether some may be unreadable.

    Returns:
        The indices of the images that can be read, their shapes, and the others with the reasons.

    Raises:
        UserError: If some cannot be read, and `skip` is False.
    """
    checked = list(enumerate(check_files(files)))
    bad = [(files[index], why) for index, why in checked if isinstance(why, str)]
    if bad and not skip:
        raise _error(bad)
    good = [(index, shape) for index, shape in checked if isinstance(shape, Shape)]
    return [index for index, _ in good], [shape for _, shape in good], bad


def _error(bad: list[tuple[Path, str]]) -> UserError:
    """The error about files that cannot be read."""
    path, reason = bad[0]
    if len(bad) > 1:
        names = ", ".join(each.name for each, _ in bad[:NAMED])
        more = ", …" if len(bad) > NAMED else ""
        reason += f"; {len(bad):,} images cannot be read: {names}{more}"
    return UserError(
        f"{path}: {reason}; use {option_value('skip_bad_rows', True)} to skip such images"
    )
