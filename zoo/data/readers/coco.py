"""Annotations of images in the format of COCO, as rows of a table."""

from typing import Any


def coco_rows(document: Any) -> list[dict[str, Any]] | None:
    """The images of a JSON document in the format of COCO; None if it is another.

    Source: Lin et al. 2014; the columns are those of a table of images. An image has its captions,
        or else the names of the categories of its objects as labels: where they are in the image
        is not read. Images without captions are left out.

    Args:
        document: The document.

    Returns:
        For each image `image`, the name of its file, and `caption` or `label`, both lists.

    Example:
        >>> document = {
        ...     "images": [{"id": 7, "file_name": "7.jpg"}],
        ...     "annotations": [{"image_id": 7, "category_id": 1, "bbox": [0, 0, 5, 5]}],
        ...     "categories": [{"id": 1, "name": "cat"}],
        ... }
        >>> coco_rows(document)
        [{'image': '7.jpg', 'label': ['cat']}]
    """
    images, annotations = (_objects(document, key) for key in ("images", "annotations"))
    files = _named(images, "file_name")
    if not files or not all(isinstance(each.get("image_id"), int | str) for each in annotations):
        return None
    of_image: dict[str, list[Any]] = {key: [] for key in files}
    if any("caption" in each for each in annotations):
        for each in annotations:
            of_image.get(str(each["image_id"]), []).append(each.get("caption"))
        return [{"image": files[x], "caption": own} for x, own in of_image.items() if own]
    names = _named(_objects(document, "categories"), "name")
    if not names:
        return None
    for each in annotations:
        of_image.get(str(each["image_id"]), []).append(names.get(str(each.get("category_id"))))
    return [
        {"image": files[x], "label": sorted({str(name) for name in own if name is not None})}
        for x, own in of_image.items()
    ]


def _named(objects: list[dict[str, Any]], key: str) -> dict[str, str]:
    """The names of objects by their ids."""
    return {str(x["id"]): x[key] for x in objects if "id" in x and isinstance(x.get(key), str)}


def _objects(document: Any, key: str) -> list[dict[str, Any]]:
    """The objects of a list of a document; none if it has another value."""
    value = document.get(key) if isinstance(document, dict) else None
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
