"""The C program beside this file, which runs SavedModels without Python."""

import functools
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

SOURCE = Path(__file__).parent / "run.c"
TENSORFLOW = Path(tf.__file__).parent
LIBRARIES = ["libtensorflow_cc.so.2", "libtensorflow_framework.so.2"]
NO_COMPILER = "there is no C compiler"
compiler = shutil.which("cc")
needs_compiler = pytest.mark.skipif(compiler is None, reason=NO_COMPILER)
SECONDS = 300


@functools.cache
def compiled():
    """The program."""
    program = Path(tempfile.mkdtemp()) / "run"
    linked = [f"-l:{name}" for name in LIBRARIES]
    places = ["-I", TENSORFLOW / "include", "-L", TENSORFLOW, f"-Wl,-rpath,{TENSORFLOW}"]
    command = [compiler, "-Wall", "-Wextra", SOURCE, *places, *linked, "-o", program]
    subprocess.run(command, check=True)
    return program


@functools.cache
def text_libraries():
    """The files with the operators of tensorflow-text, which TensorFlow Serving has in it."""
    folder = Path(find_spec("tensorflow_text").submodule_search_locations[0])
    return sorted(folder.glob("python/ops/*.so"))


def signature_names(path):
    """By signature, the names of the tensors in the graph of its inputs and of its outputs."""
    meta = SavedModel.FromString((path / "saved_model.pb").read_bytes()).meta_graphs[0]
    return {
        name: tuple(
            {key: info.name.rsplit(":", 1) for key, info in side.items()}
            for side in (each.inputs, each.outputs)
        )
        for name, each in meta.signature_def.items()
    }


def run(path, calls, text=False):
    """What a SavedModel answers.

    Args:
        path: The SavedModel.
        calls: The name of a signature and inputs by name, for each call.
        text: Whether it has operators of tensorflow-text.
    """
    names, words = signature_names(path), []
    for signature, inputs in calls:
        taken, given = names[signature]
        words += [len(inputs)]
        for key, array in inputs.items():
            words += [*taken[key], *_words(np.asarray(array))]
        words += [len(given), *(word for each in given.values() for word in each)]
    libraries = text_libraries() if text else []
    done = subprocess.run(
        [compiled(), path, *libraries],
        input=" ".join(map(str, words)),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = iter(done.stdout.splitlines())
    return [
        {key: _array(next(lines).split()) for key in names[signature][1]} for signature, _ in calls
    ]


def _words(array):
    if array.dtype.kind in "OSU":
        texts = [each.encode() if isinstance(each, str) else each for each in array.ravel()]
        return [
            tf.string.as_datatype_enum,
            array.ndim,
            *array.shape,
            *(f"x{x.hex()}" for x in texts),
        ]
    kind = tf.as_dtype(array.dtype).as_datatype_enum
    numbers = array.astype(int) if array.dtype.kind == "b" else array
    return [kind, array.ndim, *array.shape, *map(repr, numbers.ravel().tolist())]


def _array(words):
    kind, rank = tf.as_dtype(int(words[0])), int(words[1])
    shape, values = [int(x) for x in words[2 : 2 + rank]], words[2 + rank :]
    if kind == tf.string:
        actual = np.empty(len(values), object)
        actual[:] = [bytes.fromhex(each[1:]) for each in values]
        return actual.reshape(shape)
    return np.array([float(x) for x in values]).astype(kind.as_numpy_dtype).reshape(shape)
