"""The picture of what quantized weights cost at each layer of a network."""

import re
import tempfile
from pathlib import Path

import keras
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import export
import zoo
from docs.lectures.pictures import style
from docs.lectures.pictures.dates import rows
from docs.lectures.pictures.pretraining import LENGTH, encoded, inputs

COUNT, TEST, EPOCHS = 6000, 500, 5
PRECISIONS = {"float16": "float16", "8 bits": "dynamic_int8", "4 bits": "dynamic_int4"}
PARTS = ("query", "key", "value", "attention_output", "hidden", "output")
BLOCKS = 4


def trained() -> tuple[keras.Model, dict[str, np.ndarray], np.ndarray]:
    """A small BERT that tells the month of a written date, and test data."""
    lines = [line.rstrip("\n").split("\t") for line in rows(COUNT + TEST, seed=0)]
    texts = [text for text, _ in lines]
    months = np.array([int(iso[5:7]) - 1 for _, iso in lines])
    characters = "".join(sorted({*"".join(texts)}))
    ids = encoded(texts, characters)
    keras.utils.set_random_seed(0)
    sizes = {"num_layers": BLOCKS, "hidden_dim": 64, "num_heads": 4, "intermediate_dim": 256}
    model = zoo.create_model(
        "bert",
        "tiny",
        "text-classifier",
        vocabulary_size=5 + len(characters),
        num_classes=12,
        max_sequence_length=LENGTH,
        dropout=0.0,
        **sizes,
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-3), loss={"logits": loss})
    known = {"logits": months[:COUNT]}
    model.fit(inputs("bert", ids[:COUNT]), known, batch_size=64, epochs=EPOCHS, verbose=0)
    return model, inputs("bert", ids[COUNT:]), months[COUNT:]


def tensors(path: Path, data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """All results of a LiteRT file that are floats, by name, among them those in between."""
    interpreter = Interpreter(
        str(path),
        experimental_preserve_all_tensors=True,
        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )
    interpreter.get_signature_runner("serving_default")(**data)
    found = {}
    for detail in interpreter.get_tensor_details():
        if detail["dtype"] is np.float32 and len(detail["shape"]) >= 2:
            try:
                found[detail["name"]] = interpreter.get_tensor(detail["index"]).astype("float64")
            except ValueError:  # its memory is used for another one
                continue
    return found


def errors(exact: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> list[float]:
    """Of each layer, the size of the difference of its outputs, relative to that of the output."""
    found = []
    for block in range(BLOCKS):
        for part in PARTS:
            place = re.compile(rf"[^;]*/block_{block}_1/[^;]*/{part}_1/MatMul;")
            (name,) = filter(place.match, exact)
            difference = np.linalg.norm(other[name] - exact[name])
            found.append(float(difference / np.linalg.norm(exact[name])))
    return found


def quantization() -> None:
    """The relative error of the output of each layer, for files of three precisions."""
    model, data, months = trained()
    files, sizes, right = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, quantize in {"float32": None, **PRECISIONS}.items():
            path = Path(folder) / name.replace(" ", "-") / "months.tflite"
            export.litert(model, path, quantize=quantize)
            runner = Interpreter(str(path)).get_signature_runner("serving_default")
            right[name] = (runner(**data)["logits"].argmax(axis=-1) == months).mean()
            files[name], sizes[name] = tensors(path, data), path.stat().st_size / 1e6
            print(name, f"{sizes[name]:.3f} MB, {right[name]:.1%} right")
    figure = style.figure(9.8, 4.2)
    axes = figure.subplots()
    for number, name in enumerate(PRECISIONS):
        label = f"{name}: {sizes[name]:.2f} MB, {right[name]:.1%} right"
        color, line = style.COLORS[number], style.LINES[number]
        for block in range(BLOCKS):
            at = np.arange(len(PARTS)) + block * len(PARTS)
            values = np.array(errors(files["float32"], files[name]))[at]
            axes.semilogy(
                at, values, color=color, linestyle=line, marker="os^"[number], label=label
            )
            label = None
    for block in range(BLOCKS):
        middle = block * len(PARTS) + (len(PARTS) - 1) / 2
        axes.text(middle, 1.6, f"block {block + 1}", ha="center")
        if block:
            axes.axvline(block * len(PARTS) - 0.5, color="#bbbbbb", linewidth=0.8)
    names = [part.replace("_", " ") for part in PARTS] * BLOCKS
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.set(ylabel="relative error of the output", ylim=(1e-4, 4))
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    title = f"float32: {sizes['float32']:.2f} MB, {right['float32']:.1%} right"
    axes.legend(title=title, loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.save(figure, "quantization")
