"""The reader of the pickles of published graphs, which does not run what they name.

A pickle can name any function of Python, and unpickling calls it. Here the few names that arrays,
sparse matrices and dictionaries of lists need stand for classes of this file, and any other is
refused: nothing of NumPy or SciPy is called with what a file says.
"""

import io
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.graphs.limits import MAX_FEATURES
from zoo.data.readers.files import opened
from zoo.errors import UserError, reason_of

MAX_BYTES = 1 << 30  # of a file; arrays are never larger than their file


class _Type:
    """A dtype of numbers."""

    def __init__(self, name: Any, *_: Any) -> None:
        if not (isinstance(name, str) and name[:1] in "iufb" and name[1:] in "1248"):
            raise ValueError(f"arrays must hold numbers, got {name!r}")
        self.dtype = np.dtype(name)

    def __setstate__(self, state: Any) -> None:
        if state[1] == ">":
            self.dtype = self.dtype.newbyteorder(">")


class _Array:
    """An array of numbers."""

    values = np.zeros(0)

    def __init__(self, *_: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, by_columns, content = state
        content = content.encode("latin1") if isinstance(content, str) else content
        if not isinstance(kind, _Type) or len(content) != math.prod(shape) * kind.dtype.itemsize:
            raise ValueError("an array has another size than its content")
        flat = np.frombuffer(content, kind.dtype)
        self.values = flat.reshape(shape, order="F" if by_columns else "C")


class _Sparse:
    """A sparse matrix, as the dictionary of its parts."""

    parts: dict[str, Any]

    def __setstate__(self, state: Any) -> None:
        self.parts = dict(state)


class _Lists(dict):
    """A dictionary of lists."""

    def __init__(self, *_: Any) -> None:
        super().__init__()


def _reconstruct(*_: Any) -> _Array:
    return _Array()


class _Factory:
    """Stands for `list`, which a dictionary of lists only names."""

    def __init__(self, *_: Any) -> None:
        raise ValueError("a dictionary of lists only names the type of its values")


KNOWN: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
    ("scipy.sparse.csr", "csr_matrix"): _Sparse,
    ("scipy.sparse._csr", "csr_matrix"): _Sparse,
    ("collections", "defaultdict"): _Lists,
    ("__builtin__", "list"): _Factory,
    ("builtins", "list"): _Factory,
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), encoding="latin1")
        self._left = 2 * len(content)  # number of bytes that may still be encoded

    def _encode(self, text: Any, _: Any) -> bytes:
        """How Python 3 writes bytes for Python 2; a text may be named again and again."""
        self._left -= len(text)
        if self._left < 0:
            raise ValueError("its arrays are larger than the file")
        return str(text).encode("latin1")

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("_codecs", "encode"):
            return self._encode
        if (module, name) not in KNOWN:
            raise UserError(f"names {module}.{name}, which no graph needs")
        return KNOWN[module, name]


def read_pickle(path: Path) -> Any:
    """Reads a pickle of an array, a sparse matrix in CSR format, or a dictionary of lists.

    Args:
        path: The file. Python 2 may have written it.

    Returns:
        An array (a sparse matrix becomes dense), or a dictionary.

    Raises:
        UserError: If the file is too large, is damaged, or names anything else.

    Example:
        >>> path = getfixture("tmp_path") / "ind.x"
        >>> _ = path.write_bytes(pickle.dumps(np.eye(2), protocol=2))
        >>> read_pickle(path).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    with opened(path) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UserError(f"{path} is larger than {MAX_BYTES >> 20} MB")
    try:
        return _plain(_Unpickler(content).load())
    except UserError as error:
        raise UserError(f"{path} is refused: it {error}") from None
    except Exception as error:  # a damaged pickle raises anything
        raise UserError(f"{path} is not a pickle of numbers: {reason_of(error)}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, _Array):
        return value.values
    if isinstance(value, _Sparse):
        parts = {name: x.values for name, x in value.parts.items() if isinstance(x, _Array)}
        return dense(parts["data"], parts["indices"], parts["indptr"], value.parts["_shape"])
    if isinstance(value, dict):
        return dict(value)
    raise ValueError(f"expected an array or a dictionary, found {type(value).__name__}")


def dense(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: Any) -> np.ndarray:
    """A sparse matrix in CSR format as a dense one, checked.

    Raises:
        ValueError: If its parts do not fit together, or it is too large.

    Example:
        >>> dense(np.array([5]), np.array([1]), np.array([0, 0, 1]), (2, 3)).tolist()
        [[0.0, 0.0, 0.0], [0.0, 5.0, 0.0]]
    """
    rows, columns = (int(size) for size in shape)
    if min(rows, columns) < 0 or 4 * rows * columns > MAX_FEATURES:
        raise ValueError(f"a matrix of {rows} x {columns} is larger than {MAX_FEATURES >> 30} GB")
    counts = np.diff(indptr.astype("int64"))
    fits = len(indptr) == rows + 1 and indptr[0] == 0 and (counts >= 0).all()
    if not fits or not len(data) == len(indices) == indptr[-1]:
        raise ValueError("the parts of a sparse matrix do not fit together")
    if len(indices) and not (0 <= indices.min() and indices.max() < columns):
        raise ValueError("a sparse matrix has a value outside of its columns")
    matrix = np.zeros((rows, columns), "float32")
    np.add.at(matrix, (np.repeat(np.arange(rows), counts), indices), data)
    return matrix
