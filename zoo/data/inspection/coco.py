"""COCO's annotations, which are often in a folder of their own, and the folder of their images."""

from itertools import chain
from pathlib import Path

from zoo.data.images.folders import is_image
from zoo.data.readers.files import START, format_of, opened_text
from zoo.data.readers.json_rows import read_json
from zoo.errors import UserError

KEYS = (('"images"', '"file_name"'), ('"annotations"', '"image_id"'))  # of which one is first
LEVELS = ("*", "*/*")  # where folders of images are


def coco_file(folder: Path) -> Path | None:
    """The file of annotations in a folder, or in its folder `annotations`; None without one.

    Raises:
        UserError: If it has several.
    """
    found = [each for each in sorted(folder.glob("*.json")) if is_coco(each)]
    found += [each for each in sorted(folder.glob("annotations/*.json")) if is_coco(each)]
    if len(found) > 1:
        names = ", ".join(map(str, found))
        raise UserError(f"{folder} has several files of COCO's annotations: inspect one of {names}")
    return found[0] if found else None


def is_coco(path: Path) -> bool:
    """Whether a file starts like annotations in the format of COCO.

    Example:
        >>> path = getfixture("tmp_path") / "a.json"
        >>> _ = path.write_text('{"images": [{"id": 1, "file_name": "1.jpg"}]}')
        >>> is_coco(path)
        True
    """
    if format_of(path) != ".json" or not path.is_file():
        return False
    try:
        with opened_text(path) as file:
            start = file.stream.read(START)
    except UserError:
        return False
    return start.lstrip().startswith("{") and any(all(x in start for x in keys) for keys in KEYS)


def folder_of_images(path: Path) -> str | None:
    """The folder of the images of a file of annotations; None if they are beside it, or nowhere."""
    if not is_coco(path):
        return None
    _, rows = read_json(path)
    row = next((each for each in rows if each.reason is None), None)
    name = next((cell for cell in row.cells if is_image(Path(str(cell)))), None) if row else None
    if name is None or Path(name).is_absolute() or ".." in Path(name).parts:
        return None
    if (path.parent / name).is_file():
        return None
    around = path.parent, path.parent.parent
    parts = chain(around, *(sorted(folder.glob(level)) for folder in around for level in LEVELS))
    return next((str(each) for each in parts if (each / name).is_file()), None)
