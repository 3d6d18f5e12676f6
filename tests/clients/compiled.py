"""Files in `CompiledModel`."""

import numpy as np
from ai_edge_litert.compiled_model import CompiledModel

NAME = "serving_default"


def run(path):
    """A function that calls a file with arrays by name, and returns arrays by name."""
    model = CompiledModel.from_file(str(path))
    details = model.get_output_tensor_details(NAME)

    def answer(given):
        inputs = {name: model.create_input_buffer_by_name(NAME, name) for name in given}
        for name, buffer in inputs.items():
            buffer.write(given[name])
        outputs = {name: model.create_output_buffer_by_name(NAME, name) for name in details}
        model.run_by_name(NAME, inputs, outputs)
        found = {}
        for name, detail in details.items():
            shape, dtype = tuple(map(int, detail["shape"])), np.dtype(str(detail["dtype"]))
            found[name] = outputs[name].read(int(np.prod(shape)), dtype).reshape(shape)
        return found

    return answer
