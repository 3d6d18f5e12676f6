"""A stand-alone SVG file as an element of a page."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

LEFT_OUT = ("metadata", "style")  # an inner <style> would apply to the whole page
REFERENCE = re.compile(r"(?<=url\(#)[^)]+")


def inline(drawn: str, name: str, colors: Mapping[str, str]) -> str:
    """The `<svg>` element of a page.

    What a style attribute says becomes attributes of their own, since a page whose policy refuses
    foreign styles has no style attributes.

    Args:
        drawn: The file.
        name: Makes the ids unique on the page.
        colors: The page's variable for each color of the file that stands for one.
    """
    root = ET.fromstring(drawn)
    for element in root.iter():
        element.tag, element.tail = _local(element.tag), None
        if element.tag != "text":
            element.text = None
        for child in [each for each in element if _local(each.tag) in LEFT_OUT]:
            element.remove(child)
        element.attrib = _attributes(element.attrib)
    used = {id for element in root.iter() for id in _references(element)}
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)
        element.attrib = {key: _adopted(key, x, name, colors) for key, x in element.items()}
    return ET.tostring(root, encoding="unicode")


def _local(tag: str) -> str:
    """The name without its namespace."""
    return tag.rpartition("}")[2]


def _attributes(given: Mapping[str, str]) -> dict[str, str]:
    """The attributes, with those of the style; the page has a font of its own."""
    attributes = {_local(key): value for key, value in given.items()}
    style = [each.partition(":") for each in attributes.pop("style", "").split(";") if each.strip()]
    attributes |= {key.strip(): value.strip() for key, _, value in style}
    return {
        key: value for key, value in attributes.items() if key not in ("font-family", "version")
    }


def _references(element: ET.Element) -> list[str]:
    ids = [id for value in element.attrib.values() for id in REFERENCE.findall(value)]
    return [*ids, element.get("href", "").removeprefix("#")]


def _adopted(key: str, value: str, name: str, colors: Mapping[str, str]) -> str:
    """The value of an attribute: with the page's ids and colors, to a hundredth of a pixel."""
    if value in colors:
        return f"var({colors[value]})"
    if key == "id":
        return f"{name}-{value}"
    if key == "href":
        return f"#{name}-{value[1:]}" if value.startswith("#") else value
    value = re.sub(r"(\d\.\d\d)\d+", r"\1", " ".join(value.split()))
    return REFERENCE.sub(rf"{name}-\g<0>", value)
