"""`saved_model_cli run`, TensorFlow's own tool, which calls a signature of a SavedModel."""

import subprocess
import sys
from pathlib import Path

import numpy as np

TOOL = "from tensorflow.python.tools import saved_model_cli; saved_model_cli.main()"


def run(
    version: Path, signature: str, inputs: dict[str, np.ndarray], text: bool, folder: Path
) -> dict[str, np.ndarray]:
    """The outputs of a signature.

    Args:
        version: The folder of a version.
        signature: Name of the signature.
        inputs: Its inputs.
        text: Whether it needs the operators of tensorflow-text, which the tool cannot load itself.
        folder: A folder for inputs and outputs.
    """
    np.savez(folder / "inputs.npz", **inputs)
    options = {
        "dir": version,
        "tag_set": "serve",
        "signature_def": signature,
        "inputs": ";".join(f"{name}={folder / 'inputs.npz'}[{name}]" for name in inputs),
        "outdir": folder / "outputs",
    }
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    program = f"import tensorflow_text; {TOOL}" if text else TOOL
    command = [sys.executable, "-c", program, "run", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    files = (folder / "outputs").glob("*.npy")
    return {path.stem: np.load(path, allow_pickle=True) for path in files}
