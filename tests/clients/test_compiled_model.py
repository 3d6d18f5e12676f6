"""`CompiledModel`, which takes no dynamic shapes, gives the task's answers."""

import numpy as np
import pytest
from ai_edge_litert.compiled_model import CompiledModel

from tests.clients.conftest import SIZE
from zoo.preprocessing.byte_texts import as_bytes

pytestmark = pytest.mark.thorough
NAME = "serving_default"


def answer(model, text):
    given = as_bytes({"text": [text]})
    given["text_bytes"] = np.pad(given["text_bytes"], [(0, 0), (0, SIZE)])[:, :SIZE]
    inputs = {name: model.create_input_buffer_by_name(NAME, name) for name in given}
    for name, buffer in inputs.items():
        buffer.write(np.ascontiguousarray(given[name]))
    shapes = {
        name: tuple(map(int, each["shape"]))
        for name, each in model.get_output_tensor_details(NAME).items()
    }
    outputs = {name: model.create_output_buffer_by_name(NAME, name) for name in shapes}
    model.run_by_name(NAME, inputs, outputs)
    length, written = (
        outputs[name].read(int(np.prod(shapes[name])), np.int32)
        for name in ("text_lengths", "text_bytes")
    )
    return bytes(written[: length[0]].tolist()).decode()


def test_texts(exported):
    model = CompiledModel.from_file(str(exported.path))
    for text, expected in exported.answers.items():
        assert answer(model, text) == expected
