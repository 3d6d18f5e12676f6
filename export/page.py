"""`SIGNATURES.md`: the inputs and outputs of an artifact, in words, with code to call it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from export.markdown import argument, literal, span, words
from export.worker.axes import BATCH
from export.worker.onnx_files import OPSET, SUFFIX, output_names
from export.worker.probes import ENCODED, Probe, Tensors, bytes_of, is_text

KINDS = {  # of each format: what it is, and whose operators it has
    "saved_model": ("A SavedModel", "TensorFlow"),
    "litert": ("A LiteRT file with {weights} weights", "LiteRT"),
    "onnx": (f"ONNX files, one for each signature (opset {OPSET})", "ONNX"),
}
MOST = 64  # numbers of an input that the code spells out
COLUMNS = ["", "name", "dtype", "shape", "padding", "meaning"]

TEXT = "It takes or writes text: the runtime needs the operators of tensorflow-text."
TEXT_LITERT = (
    "It takes or writes text: the runtime needs the custom operators of tensorflow-text, "
    "registered with the interpreter as below. A runtime without them, such as LiteRT on its own, "
    "cannot load the file."
)
NO_TEXT = "It needs the built-in operators of {runtime} only."
PADDED = (
    "Shorter rows are padded at the end with the value in the column *padding*. Further padding "
    "does not change the outputs."
)

SAVED_MODEL = """\
import numpy as np
import tensorflow as tf
{text}
model = tf.saved_model.load({name})
outputs = model.signatures[{signature}]({arguments})
"""
LITERT = """\
import numpy as np
from ai_edge_litert.interpreter import Interpreter

interpreter = Interpreter({name})
run = interpreter.get_signature_runner({signature})
outputs = run({arguments})
"""
LITERT_TEXT = """\
import numpy as np
from ai_edge_litert.interpreter import InterpreterWithCustomOps
from tensorflow_text import tflite_registrar

interpreter = InterpreterWithCustomOps(
    custom_op_registerers=tflite_registrar.SELECT_TFTEXT_OPS, model_path={name}
)
run = interpreter.get_signature_runner({signature})
outputs = run({arguments})
"""
ONNX = """\
import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession({file})
names = [output.name for output in session.get_outputs()]
inputs = {arguments}
outputs = dict(zip(names, session.run(names, inputs), strict=True))
"""
SHOW = """\
for name, tensor in outputs.items():
    print(name, np.asarray(tensor))
"""


def signature_page(name: str, facts: Mapping[str, Any], probes: Mapping[str, list[Probe]]) -> str:
    """The page about an artifact.

    Args:
        name: The name of the file, or of the folder of a version.
        facts: What the manifest says of it: "format", "signatures", "strings", "invariances" and,
            of a LiteRT file, "quantize".
        probes: Calls of each signature, of which the code shows the smallest.
    """
    litert = facts["format"] == "litert"
    kind, runtime = KINDS[facts["format"]]
    if litert:
        kind = kind.format(weights=facts["quantize"] or "float32")
    needs = (TEXT_LITERT if litert else TEXT) if facts["strings"] else NO_TEXT
    begin = [f"# {span(name)}", f"{kind}. {needs.format(runtime=runtime)}"]
    begin += [
        f"Run the code in the folder that contains {span(name)}. Axes with the same name have the "
        "same size."
    ]
    each = (_section(name, each, facts, probes[each]) for each in facts["signatures"])
    return "\n\n".join([*begin, *each]) + "\n"


def _section(name: str, signature: str, facts: Mapping[str, Any], probes: list[Probe]) -> str:
    recorded, kind = facts["signatures"][signature], facts["format"]
    names = output_names(recorded["inputs"], recorded["outputs"]) if kind == "onnx" else {}
    rows = [_row("input", key, tensor) for key, tensor in recorded["inputs"].items()] + [
        _row("output" if kind == "saved_model" else f"output {number}", names.get(key, key), tensor)
        for number, (key, tensor) in enumerate(recorded["outputs"].items())
    ]
    lines = ["| " + " | ".join(row) + " |" for row in [COLUMNS, ["---"] * len(COLUMNS), *rows]]
    parts = [f"## {span(signature)}", words(recorded["purpose"]), "\n".join(lines)]
    if "padding" in facts["invariances"][signature] and _padded(recorded["inputs"]):
        parts.append(PADDED)
    call = min((probe.inputs for probe in probes), key=_size)
    return "\n\n".join([*parts, f"```python\n{_code(name, signature, facts, call)}{SHOW}```"])


def _code(name: str, signature: str, facts: Mapping[str, Any], call: Tensors) -> str:
    """Python code that calls a signature."""
    in_numpy = facts["format"] != "saved_model"
    values = {key: _literal(key, array, in_numpy) for key, array in call.items()}
    if facts["format"] == "onnx":
        pairs = ", ".join(f"{literal(key)}: {value}" for key, value in values.items())
        file = literal(f"{name}/{signature}{SUFFIX}")
        return ONNX.format(file=file, arguments=f"{{{pairs}}}")
    code = (LITERT_TEXT if facts["strings"] else LITERT) if in_numpy else SAVED_MODEL
    return code.format(
        name=literal(name),
        signature=literal(signature),
        text="import tensorflow_text  # registers its operators\n" * facts["strings"],
        arguments=", ".join(argument(key, value) for key, value in values.items()),
    )


def _row(side: str, key: str, tensor: Mapping[str, Any]) -> list[str]:
    filled = side.startswith("input") or "int" in tensor["dtype"]
    padding = f"`{tensor['padding']}`" if filled and tensor["padding"] is not None else ""
    return [side, span(key), tensor["dtype"], _shape(tensor), padding, words(tensor["meaning"])]


def _shape(tensor: Mapping[str, Any]) -> str:
    """The axes by name, with their sizes where these are fixed."""
    shape, axes = tensor["shape"], tensor["axes"]
    if shape is None:
        return "any"
    axes = axes or [BATCH if size is None else size for size in shape[:1]] + shape[1:]

    def spelled(axis: Any, size: int | None) -> str:
        if isinstance(axis, str):
            return axis if size is None else f"{axis} = {size}"
        return "any" if axis is None and size is None else str(size if axis is None else axis)

    return f"({', '.join(map(spelled, axes, shape))})"


def _padded(inputs: Mapping[str, Mapping[str, Any]]) -> bool:
    return any(tensor["padding"] is not None for tensor in inputs.values())


def _size(inputs: Tensors) -> int:
    return sum(map(bytes_of, inputs.values()))


def _literal(key: str, array: np.ndarray, in_numpy: bool) -> str:
    """An input as code; of a large one, zeros of its shape."""
    if key.endswith(ENCODED) and array.dtype.kind in "iu" and len(array) == 1:
        whole = array.astype(np.uint8).tobytes()
        written = whole.rstrip(b"\0")
        rest = len(whole) - len(written)  # of a file of one shape, mostly thousands
        end = f", *bytes({rest})" if rest else ""
        made = f'np.array([[*{written!r}{end}]], "{array.dtype}")'
        return made if in_numpy else f"tf.constant({made})"
    if key.endswith(ENCODED) and is_text(array):
        return f"tf.constant({array.ravel().tolist()!r})"
    if is_text(array):
        texts = [text.decode() for text in array.ravel()]
        encoded = f"np.array([text.encode() for text in {texts!r}], object)"
        return encoded if in_numpy else f"tf.constant({texts!r})"
    if array.size > MOST:
        made = f'np.zeros({array.shape}, "{array.dtype}")'
    else:
        numbers = array.round(3) if array.dtype.kind == "f" else array
        made = f'np.array({numbers.tolist()!r}, "{array.dtype}")'
    return made if in_numpy else f"tf.constant({made})"
