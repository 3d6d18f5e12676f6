"""The base of images in memory, whatever belongs to them."""

import os
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from zoo.data.array_identity import array_identity
from zoo.data.examples import ExampleRow, Examples
from zoo.data.images.header import Shape
from zoo.data.in_memory import InMemory
from zoo.data_statistics import Statistics, counted
from zoo.errors import UserError
from zoo.option_names import option_value

Image = str | np.ndarray  # the path of a file, or pixels (H, W, C)


class ImageExamples(Examples, Protocol):
    """Examples with images."""

    @property
    def images(self) -> list[Image]:
        """The images: paths of files, or arrays (H, W, C)."""

    @property
    def most_common_size(self) -> str:
        """The most frequent size, such as 28x28."""

    def channels(self) -> int:
        """The number of channels of all images."""


@dataclass(frozen=True)
class ImageList(InMemory):
    """Base of the examples with images.

    Args:
        images: The images: paths of files, or arrays (H, W, C).
        shapes: The shapes of the images.
        bad: The skipped images and why they cannot be read.
    """

    images: list[Image]
    shapes: list[Shape]
    bad: list[tuple[Path, str]] = field(default_factory=list, kw_only=True)

    @property
    def inputs(self) -> dict[str, list[Image]]:
        return {"image": self.images}

    def cell_identity(self, cell: Any) -> Hashable:
        return super().cell_identity(array_identity(cell))

    @property
    def files(self) -> list[Path]:
        """The images that are files."""
        return [Path(image) for image in self.images if isinstance(image, str)]

    @property
    def statistics(self) -> Statistics:
        """Numbers of skipped rows and images."""
        return self.source.statistics + Statistics(
            {"images that cannot be read skipped": len(self.bad)}
        )

    @property
    def sizes(self) -> Counter[tuple[int, int]]:
        """How many images have each height and width."""
        return Counter(shape[:2] for shape in self.shapes)

    @property
    def most_common_size(self) -> str:
        """The most frequent size, such as 28x28."""
        (height, width), _ = self.sizes.most_common(1)[0]
        return f"{width}x{height}"

    @property
    def sizes_in_words(self) -> str:
        """The most frequent sizes, for messages."""
        sizes = self.sizes.most_common()
        shown = ", ".join(f"{w}x{h} ({count:,})" for (h, w), count in sizes[:3])
        more = f" and {len(sizes) - 3} other sizes" if len(sizes) > 3 else ""
        return f"width x height {shown}{more}"

    def channels(self) -> int:
        """The number of channels of all images.

        Raises:
            UserError: If some are gray and others are not.
        """
        first = self.shapes[0].channels
        for index, shape in enumerate(self.shapes):
            if shape.channels != first:
                options = (option_value("channels", count) for count in (1, 3))
                raise UserError(
                    f"{self.name(index)} has {counted(shape.channels, 'channels')}, and "
                    f"{self.name(0)} has {first}: choose with {' or '.join(options)}"
                )
        return first

    @property
    def answers(self) -> dict[str, list[Any]]:
        """What belongs to each row, by name of the field; reports show the first of these."""
        raise NotImplementedError

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {"images": self.images, **self.answers, "shapes": self.shapes}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first images, each with its answer, for a report."""
        answers = next(iter(self.answers.values()))
        names = self._short_names()[:count]
        return [ExampleRow(*row) for row in zip(names, self.images, answers, strict=False)]

    def _short_names(self) -> list[str]:
        """The names of the files, with the folders that differ, in which one may have one name."""
        paths = [Path(self.name(number)) for number in range(len(self))]
        folders = {path.parent for path in paths}
        shared = os.path.commonpath(folders) if len({x.is_absolute() for x in folders}) == 1 else ""
        return [str(path.relative_to(shared)) for path in paths]

    def name(self, index: int) -> str:
        """The file of an image, or its number."""
        image = self.images[index]
        return image if isinstance(image, str) else f"{self.path}: image {index + 1}"
