"""The metadata of a LiteRT file for MediaPipe, and the files that belong to it.

The schema is `mediapipe/tasks/metadata/metadata_schema.fbs`. The files are a ZIP archive without
compression, behind the model.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import flatbuffers

from export.flatbuffer import Table, write
from export.mediapipe_protocol import Metadata

IDENTIFIER, FIELD = b"M001", "TFLITE_METADATA"
READER = "1.1.0"  # the oldest version of the reader that knows all of this
VOCABULARY, LABELS = "vocab.txt", "labels.txt"
AXIS_LABELS, VOCABULARY_FILE = 2, 5  # kinds of files
NORMALIZATION, BERT_TOKENIZER, IMAGE, RGB = 1, 4, 2, 1  # members of unions, a color space

Fields = dict[int, Any]


def add_metadata(path: Path, metadata: Metadata) -> None:
    """Adds metadata to a LiteRT file.

    Args:
        path: The file.
        metadata: The metadata.

    Raises:
        ValueError: If the file has several subgraphs, which MediaPipe does not take.
    """
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    loops = [_loop(graph, each) for graph in model.subgraphs for each in _calls(graph)]
    if len(model.subgraphs) > 1:
        where = f" in {', '.join(loops)}" if loops else ""
        raise ValueError(f"MediaPipe takes files of a single graph, and there is a loop{where}")
    (graph,) = model.subgraphs
    names = [
        [_name(graph, index, model.signatureDefs[0]) for index in indices]
        for indices in (graph.inputs, graph.outputs)
    ]
    content = schema.BufferT()
    content.data = list(write(table(metadata, *names), IDENTIFIER))
    entry = schema.MetadataT()
    entry.name, entry.buffer = FIELD, len(model.buffers)
    model.buffers.append(content)
    model.metadata = [*(model.metadata or []), entry]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(bytes(builder.Output()))
    _append(path, {VOCABULARY: metadata.vocabulary, LABELS: metadata.labels})


def table(metadata: Metadata, inputs: list[str], outputs: list[str]) -> Table:
    """The metadata as the table of the schema.

    Args:
        metadata: The metadata.
        inputs: The names of the inputs, in the order of the file.
        outputs: The names of the outputs.
    """
    units: Fields = {}
    content: Fields = {}
    if metadata.vocabulary is None:
        pixels = Table({0: [0.0], 1: [1.0]})  # mean and standard deviation: nothing changes
        content = {3: Table({0: IMAGE, 1: Table({0: RGB})}), 4: [_union(NORMALIZATION, pixels)]}
    else:
        files = [_file(VOCABULARY, "The characters of texts.", VOCABULARY_FILE)]
        units = {5: [_union(BERT_TOKENIZER, Table({0: files}))]}
    labels: Fields = {6: [_file(LABELS, "The labels.", AXIS_LABELS)]} if metadata.labels else {}
    graph: Fields = {
        2: [Table({0: name, **content}) for name in inputs],
        3: [Table({0: name, **labels}) for name in outputs],
        **units,
    }
    own: Fields = {0: metadata.name, 1: metadata.description, 3: [Table(graph)], 7: READER}
    return Table(own)


def _union(kind: int, options: Table) -> Table:
    return Table({0: kind, 1: options})


def _file(name: str, description: str, kind: int) -> Table:
    return Table({0: name, 1: description, 2: kind})


def _name(graph: Any, index: int, signature: Any) -> str:
    """The name of an input or output in the signature."""
    for each in (*signature.inputs, *signature.outputs):
        if each.tensorIndex == index:
            return each.name.decode()
    return graph.tensors[index].name.decode()


def _calls(graph: Any) -> list[Any]:
    """The operators of a graph that run another one."""
    return [x for x in graph.operators or () if hasattr(x.builtinOptions, "bodySubgraphIndex")]


def _loop(graph: Any, operator: Any) -> str:
    """Where in the model a loop is: the name of its first result."""
    return graph.tensors[operator.outputs[0]].name.decode()


def _append(path: Path, files: dict[str, str | None]) -> None:
    """Appends files to a model, as a ZIP archive that is the same each time."""
    content = io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(content, "a", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            if text:
                archive.writestr(zipfile.ZipInfo(name), text)
    path.write_bytes(content.getvalue())
