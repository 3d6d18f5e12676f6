"""Recognition of images, and of tables of images, by their names and columns."""

import hashlib
import zipfile
from pathlib import Path

from zoo.data.images.arrays import IMAGES
from zoo.data.images.content import image_bytes
from zoo.data.images.folders import is_image
from zoo.data.images.idx import is_idx
from zoo.data.images.read import NPZ, LabeledImages
from zoo.data.readers.roles import CAPTION, IMAGE
from zoo.data.readers.tables import open_table
from zoo.untrusted import open_regular


def has_images(path: Path) -> bool:
    """Whether a file or a folder has images with labels.

    Example:
        >>> has_images(Path("train-images-idx3-ubyte.gz")), has_images(Path("reviews.csv"))
        (True, False)
    """
    if path.is_dir():
        inner = [each for each in path.iterdir() if each.is_dir()]
        return any(map(is_idx, path.iterdir())) or any(
            is_image(file) for folder in inner for file in folder.iterdir()
        )
    return is_idx(path) or (path.suffix == NPZ and _has_arrays(path))


def has_captions(path: Path, encoding: str | None = None) -> bool:
    """Whether a table has a column of images, and one of captions, by their usual names.

    Example:
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("file,caption\\na.png,a red hat\\nb.jpg,a hat\\n")
        >>> has_captions(path)
        True
    """
    sample = open_table(path, "data", encoding=encoding).sample
    named = [name.strip().lower() for name in sample.names]
    columns = {name: sample.texts(index) for index, name in enumerate(named)} if sample else {}
    images = [columns[name] for name in IMAGE.names if name in columns]
    captions = any(name in columns for name in CAPTION.names)
    return captions and any(all(is_image(Path(cell)) for cell in cells) for cells in images)


def _has_arrays(path: Path) -> bool:
    """Whether an `.npz` file has an array with a name of images; graphs have `edges`."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
    except (OSError, ValueError, zipfile.BadZipFile):
        return False
    return bool(names & set(IMAGES)) and not names & {"edges", "edge_index"}


def image_keys(images: LabeledImages) -> list[bytes]:
    """A digest of each image, equal for equal files or pixels."""
    return [
        hashlib.sha256(image_bytes(image) if isinstance(image, str) else image.tobytes()).digest()
        for image in images.images
    ]
