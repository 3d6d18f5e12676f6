"""Exports of annotation programs, Label Studio, Prodigy and doccano, as rows of a table."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

Record = Mapping[str, Any]
Convert = Callable[[Record], dict[str, Any] | None]  # None for what nobody labeled or accepted
LABEL_STUDIO = ("annotations", "completions")  # the second in versions before 1.0
# What Label Studio adds to the columns of its export JSON-MIN.
MINIMAL = ("annotation_id", "annotator", "created_at", "updated_at", "lead_time", "agreement")
OWN = ("accept", "answer", "meta", "options", "tokens")  # of Prodigy, beside names with "_"
# Keys of a list of labels; those of answers and tags have others.
LISTS = ("label", "labels", "class", "category", "topic", "intent", "sentiment", "emotion")
SAID = ("choices", "rating", "number", "text", "labels")  # what a result can be


def rows_of(first: Iterable[Any]) -> Convert | None:
    """How the objects of an export become rows; None for other objects.

    Label Studio's become what its export JSON-MIN has: the data, and the result under the name of
    its control. Of Prodigy's, the label is the option that was accepted; a single label that can
    only be accepted or rejected becomes two. Lists with one label each become labels.

    Args:
        first: The first objects.

    Example:
        >>> record = {"text": "a fine film", "label": ["good"]}
        >>> rows_of([record])(record)
        {'text': 'a fine film', 'label': 'good'}
    """
    records = [each for each in first if isinstance(each, dict)]
    if not records:
        return None
    if all(isinstance(each.get("data"), dict) for each in records):
        labeled = any(_of_label_studio(each) for each in records)
        return _of_label_studio if labeled else _task_of_label_studio
    if all(MINIMAL[0] in each for each in records):
        return partial(_without, names=(*MINIMAL, "id"))
    if all("_task_hash" in each and "answer" in each for each in records):
        labels = {each["label"] for each in records if isinstance(each.get("label"), str)}
        return partial(_of_prodigy, binary=len(labels) == 1)
    if names := [name for name in LISTS if _has_one_each(records, name)]:
        return partial(_unwrapped, names=names)
    return None


def _task_of_label_studio(record: Record) -> dict[str, Any]:
    """A task that nobody labeled yet, of which texts are predicted."""
    data = record.get("data")
    return dict(data) if isinstance(data, dict) else {}


def _of_label_studio(record: Record) -> dict[str, Any] | None:
    lists = (x for key in LABEL_STUDIO if isinstance(x := record.get(key), list))
    done = (each for each in next(lists, []) if isinstance(each, dict))
    results = (x["result"] for x in done if x.get("result") and not x.get("was_cancelled"))
    result = next(results, None)
    if not isinstance(result, list):
        return None
    row = _task_of_label_studio(record)
    said: dict[str, list[Any]] = {}
    for each in result:
        value = each.get("value") if isinstance(each, dict) else None
        if not isinstance(value, dict):
            continue
        name = str(each.get("from_name", "label"))
        kind = next((kind for kind in SAID if kind in value), None)
        if "start" in value or kind is None:
            said.setdefault(name, []).append(value)
        else:
            content = value[kind]
            said.setdefault(name, []).extend(content if isinstance(content, list) else [content])
    return row | {name: _plain(values) for name, values in said.items()}


def _without(record: Record, names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def _of_prodigy(record: Record, binary: bool) -> dict[str, Any] | None:
    accepted, label = record.get("accept"), record.get("label")
    row = {x: y for x, y in record.items() if not x.startswith("_") and x not in OWN}
    is_rejected = record.get("answer") == "reject"
    if is_rejected and binary and isinstance(label, str):
        return row | {"label": f"not {label}"}
    if is_rejected or record.get("answer") == "ignore":
        return None
    return row | {"label": _plain(accepted)} if isinstance(accepted, list) else row


def _has_one_each(records: Iterable[Record], name: str) -> bool:
    """Whether a key has lists of at most one text, and one text at least once."""
    lists = [record.get(name) for record in records]
    return all(
        isinstance(each, list) and len(each) < 2 and all(isinstance(x, str) for x in each)
        for each in lists
    ) and any(lists)


def _unwrapped(record: Record, names: Iterable[str]) -> dict[str, Any]:
    return {**record, **{x: _plain(y) for x in names if isinstance(y := record.get(x), list)}}


def _plain(values: list[Any]) -> Any:
    """One value for a list of one that is no object; otherwise the list."""
    return values[0] if len(values) == 1 and not isinstance(values[0], dict | list) else values
