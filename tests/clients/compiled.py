"""Files in `CompiledModel`."""

import numpy as np
from ai_edge_litert.compiled_model import CompiledModel


class Compiled:
    """A file in `CompiledModel`.

    Args:
        path: The file.
    """

    def __init__(self, path):
        self._model = CompiledModel.from_file(str(path))

    def __call__(self, given, signature="serving_default"):
        """The outputs of a signature by name, for arrays by name."""
        return self._arrays(signature, self._call(signature, self._buffers(signature, given)))

    def steps(self, given):
        """The outputs of each step, without copies of the buffers that are handed on."""
        known = self._call("stream_start", self._buffers("stream_start", given))
        taken, ended = self._model.get_input_tensor_details("stream_step"), False
        while not ended:
            outputs = self._call("stream_step", {name: known[name] for name in taken})
            known |= outputs
            actual = self._arrays("stream_step", outputs)
            ended = actual["ended"].item()
            yield actual

    def _buffers(self, signature, given):
        actual = {name: self._model.create_input_buffer_by_name(signature, name) for name in given}
        for name, buffer in actual.items():
            buffer.write(given[name])
        return actual

    def _call(self, signature, inputs):
        names = self._model.get_output_tensor_details(signature)
        outputs = {x: self._model.create_output_buffer_by_name(signature, x) for x in names}
        self._model.run_by_name(signature, inputs, outputs)
        return outputs

    def _arrays(self, signature, buffers):
        actual = {}
        for name, detail in self._model.get_output_tensor_details(signature).items():
            shape, dtype = tuple(map(int, detail["shape"])), np.dtype(str(detail["dtype"]))
            actual[name] = buffers[name].read(int(np.prod(shape)), dtype).reshape(shape)
        return actual
