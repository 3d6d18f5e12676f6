"""The inspection of files other than tables."""

import pathlib
from typing import Any

from zoo.data.graphs.read import read_graphs
from zoo.data.graphs.recognition import described, label_cells
from zoo.data.images.read import read_images
from zoo.data.images.recognition import image_keys
from zoo.data.inspection.fits import DOCUMENT_TASKS
from zoo.data.inspection.refusals import refuse_folder, refuse_other_formats
from zoo.data.inspection.results import ColumnFacts, Fit, Inspection, Options
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import read_documents
from zoo.data.readers.files import format_of, paths_of
from zoo.data.readers.tag_recognition import has_tags
from zoo.data.readers.tags import read_tagged
from zoo.data.readers.text_tables import note_of_table
from zoo.errors import UserError

SKIPPING = ReadOptions(skip_bad_rows=True)
TAGGED = (".conll", ".conllu", ".conllx", ".iob", ".iob2", ".bio")  # files of tagged words


def inspect_graphs(path: str | pathlib.Path, given: Options) -> Inspection:
    """Inspects graphs: a row is a node."""
    graphs = read_graphs(path, ReadOptions.of(given))
    columns = [ColumnFacts.of(name, cells) for name, cells in label_cells(graphs).items()]
    nodes = sum(map(len, graphs.graphs))
    return Inspection(
        str(path),
        rows=nodes,
        header=None,
        columns=columns,
        bad=[],
        blank=0,
        duplicates=0,
        overlap=None,
        fits=[Fit("node-classifier", {})],
        understood=described(graphs),
        texts=[],
        has_validation=graphs.has_validation,
    )


def inspect_images(path: str | pathlib.Path, validation: Any) -> Inspection:
    """Inspects images: a row is an image."""
    images = read_images(paths_of(path), SKIPPING)
    bad = [f"{name}: {reason}" for name, reason in images.bad]
    labels = ColumnFacts.of("label", images.labels)
    keys = image_keys(images)
    overlap = None
    if validation is not None:
        known = set(keys)
        others = image_keys(read_images(validation, SKIPPING))
        overlap = sum(key in known for key in others)
    rows, doubled = len(keys), len(keys) - len(set(keys))
    facts, fits = str(images), [Fit("image-classifier", {"skip_bad_rows": True} if bad else {})]
    return Inspection(str(path), rows, None, [labels], bad, 0, doubled, overlap, fits, facts, [])


def inspect_texts(path: str | pathlib.Path, given: Options) -> Inspection:
    """Inspects files other than tables: tagged words, or plain text.

    Args:
        path: The files.
        given: Options; those that name columns of tagged words say that these are tagged words.
    """
    first = paths_of(path)[0]
    named = "word_column" in given or "tag_column" in given
    is_tagged = named or format_of(first) in TAGGED or has_tags(first, given.get("encoding"))
    if not named:
        refuse_other_formats(first)
    try:
        tagged = read_tagged(path, ReadOptions.of(given))
        texts, tasks, understood = tagged.inputs["text"], ["token-tagger"], str(tagged)
        sure = 1 < len({tag for tags in tagged.tags for tag in tags}) <= len(texts)
    except (UserError, OSError):
        if is_tagged:
            raise
        sure = False
    if not (sure or is_tagged):
        if first.is_dir():
            refuse_folder(first)
        documents = read_documents(path, ReadOptions.of(given))
        notes = filter(None, [str(documents), note_of_table(first, given.get("encoding"))])
        texts, tasks, understood = documents.texts, [*DOCUMENT_TASKS], "; ".join(notes)
    duplicates = len(texts) - len(set(texts))
    fits = [Fit(task, {}) for task in tasks]
    return Inspection(
        str(path), len(texts), None, [], [], 0, duplicates, None, fits, understood, texts
    )
