"""Changes inside of containers, whose checksums and lengths are right again afterwards."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from hypothesis import strategies as st

from tests.fuzz.guard import CANARY
from tests.fuzz.mutations import VALUES, changed_bytes, changed_json, changed_value


@st.composite
def changed_gzip(draw: st.DrawFn, content: bytes) -> bytes:
    return gzip.compress(draw(changed_bytes(gzip.decompress(content))), 1)


@st.composite
def changed_zip(draw: st.DrawFn, content: bytes) -> bytes:
    """An archive, such as `.npz`, with a changed member, or one with another name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = draw(st.sampled_from(sorted(members)))
    if draw(st.integers(0, 5)) == 0:
        others = ("a.npy", f"../{CANARY}", "a", "nodes.npy", *members)
        members[draw(st.sampled_from(others))] = members.pop(name)
    else:
        members[name] = draw(st.one_of(changed_bytes(members[name]), arrays()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return packed.getvalue()


@st.composite
def arrays(draw: st.DrawFn) -> bytes:
    """An array in NumPy's format, of another dtype, shape or value."""
    packed = io.BytesIO()
    np.save(packed, draw(st.sampled_from(ARRAYS)), allow_pickle=True)
    return packed.getvalue()


ARRAYS = (
    *(np.zeros(shape, "float32") for shape in ((), (0,), (1,), (3, 0), (2, 3), (1, 1, 1, 1, 1))),
    *(np.full((5, 2), value) for value in (np.nan, np.inf, -1, 2**62, True, 1j, "a", b"a")),
    np.array([{"a": 1}, None], dtype=object),
    np.zeros(3, dtype=[("a", "i4"), ("b", "f8")]),
    np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"),
    np.zeros((2, 2), dtype="float16"),
    np.arange(7, dtype=">i8"),
)


@st.composite
def changed_safetensors(draw: st.DrawFn, content: bytes) -> bytes:
    """Tensors of which the header was changed."""
    length = int.from_bytes(content[:8], "little")
    header = draw(changed_value(json.loads(content[8 : 8 + length])))
    packed = json.dumps(header).encode()
    return len(packed).to_bytes(8, "little") + packed + content[8 + length :]


@st.composite
def changed_hdf5(draw: st.DrawFn, content: bytes) -> bytes:
    """An HDF5 file of which one member was replaced or deleted, or has another attribute."""
    packed = io.BytesIO(content)
    with h5py.File(packed, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            del file[name]
        if name in file:
            value = draw(st.sampled_from(VALUES))
            file[name].attrs[draw(st.sampled_from(("sha256", "vars", "a")))] = repr(value)[:999]
        else:
            draw(st.sampled_from(MEMBERS))(file, name)
    return packed.getvalue()


def _huge(file: h5py.File, name: str) -> None:
    file.create_dataset(name, (2**20, 2**22), "float32", chunks=(64, 64))


MEMBERS: tuple[Callable[[h5py.File, str], object], ...] = (
    *(
        lambda file, name, array=array: file.create_dataset(name, data=array)
        for array in ARRAYS[:9]
    ),
    _huge,
    lambda file, name: file.create_group(name),
    lambda file, name: file.create_dataset(name, data=h5py.Empty("f4")),
    lambda file, name: file.create_dataset(name, data="text"),
    lambda file, name: file.create_dataset(name, data=np.zeros(3, [("a", "i4"), ("b", "f8")])),
    lambda file, name: file.create_dataset(name, data=np.arange(11), compression="gzip"),
    lambda file, name: file.create_dataset(name, data=np.arange(4), maxshape=(None,)),
    lambda file, name: file.__setitem__(name, h5py.SoftLink("/")),
    lambda file, name: file.__setitem__(name, h5py.SoftLink(f"/{name}")),
    lambda file, name: file.__setitem__(name, h5py.ExternalLink(f"../{CANARY}", "/")),
    lambda file, name: file.__setitem__(name, file["/"]),
    lambda file, name: None,
)

INSIDE = {
    ".gz": changed_gzip,
    ".h5": changed_hdf5,
    ".json": changed_json,
    ".npz": changed_zip,
    ".safetensors": changed_safetensors,
}


@st.composite
def changed_file(draw: st.DrawFn, name: str, content: bytes) -> bytes:
    """The content of a file after changes that fit its format, or after changes of bytes."""
    inside = INSIDE.get(Path(name).suffix)
    if inside is None or draw(st.integers(0, 3)) == 0:
        return draw(changed_bytes(content))
    return draw(inside(content))
