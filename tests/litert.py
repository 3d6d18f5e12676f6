"""A function as a LiteRT file."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from export.processes import run_in_worker


def in_litert(
    function: Callable, specs: dict[str, Any], weights: Sequence = ()
) -> Callable[..., Any]:
    """`function` of named tensors (name -> TensorSpec), converted with built-in operators only:
    a function of named arrays, of any size that the specs leave open. What it gives is one tensor,
    or several by name.

    Another process converts, as the converter leaks memory."""
    from ai_edge_litert.interpreter import Interpreter

    def serve(**x):
        actual = function(**x)
        return actual if isinstance(actual, dict) else {"output": actual}

    content = converted(serve, specs, [w.value for w in weights])[None]
    runner = Interpreter(model_content=content).get_signature_runner("serving_default")

    def call(**x):
        actual = runner(**x)
        return actual["output"] if set(actual) == {"output"} else actual

    return call


def converted(
    function: Callable, specs: dict[str, Any], weights: Sequence, kinds: Sequence[str] = ()
) -> dict[str | None, bytes]:
    """The LiteRT files of a function that gives tensors by name: in float32, the key None, and in
    other precisions."""
    import tensorflow as tf

    module = tf.Module()
    module.weights = list(weights)
    module.serve = tf.function(lambda **x: function(**x), autograph=False)
    named = {name: tf.TensorSpec(s.shape, s.dtype, name=name) for name, s in specs.items()}
    with tempfile.TemporaryDirectory() as folder:
        signature = module.serve.get_concrete_function(**named)
        tf.saved_model.save(module, folder, signatures=signature)
        files = {str(Path(folder) / f"{kind}.tflite"): [kind] for kind in (None, *kinds)}
        outputs = {"serving_default": list(signature.structured_outputs)}
        job = {"saved_model": folder, "signatures": outputs, "files": files}
        refused = run_in_worker("convert", {**job, "strings": False})
        assert not refused, refused
        return {kind: Path(file).read_bytes() for file, (kind,) in files.items()}
