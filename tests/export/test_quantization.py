"""A quantized file that was broken is refused, and a sound one is not."""

import shutil

import pytest
from ai_edge_litert import schema_py_generated as schema

import export
from export import manifest
from export.worker import digest
from tests.export.standin import StandIn

WIDE = 101  # wide enough that the converter quantizes the weights


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "x.tflite"
    export.litert(StandIn(WIDE), path, quantize="int8")
    return path


def matrices(content):
    """Each matrix of eight bits in a file, as (its scales, its numbers), to be changed in place."""
    model = schema.Model.GetRootAs(content, 0)
    graph = model.Subgraphs(0)
    for place in range(graph.TensorsLength()):
        tensor = graph.Tensors(place)
        numbers = model.Buffers(tensor.Buffer()).DataAsNumpy()
        if tensor.Type() == schema.TensorType.INT8 and not isinstance(numbers, int):
            yield tensor.Quantization().ScaleAsNumpy(), numbers


def double(scales, numbers):
    scales *= 2


def zero(scales, numbers):
    numbers[:] = 0


def four_bits(scales, numbers):
    numbers[:] = (numbers.view("int8") // 64 * 64).view("uint8")


def failed(path):
    return {check.name for check in export.verify(path).failed}


@pytest.mark.thorough
def test_a_sound_file_passes_by_many_decisions(sound):
    report = export.verify(sound)

    assert report.passed
    (tokens,) = (x for x in report.checks if x.name == "serving_default: token_ids")
    assert int(tokens.detail.split(" of ")[1].split()[0]) > 200, tokens.detail


@pytest.mark.parametrize("harm", [double, zero, four_bits])
def test_a_broken_file_is_refused_whatever_its_manifest_allows(sound, harm, tmp_path):
    shutil.copytree(sound.parent, tmp_path, dirs_exist_ok=True)
    path = tmp_path / sound.name
    content = bytearray(path.read_bytes())
    actual = list(matrices(content))
    assert actual
    harm(*max(actual, key=lambda pair: pair[1].size))
    path.write_bytes(content)
    entries = manifest.read(tmp_path)
    entry = entries["artifacts"][path.name]
    entry["sha256"]["artifact"] = digest.sha256(path)
    entry["tolerance"] = {"error": 100.0, "agreement": 0.0}
    manifest.write(tmp_path, entries)

    assert {name.split(": ")[-1] for name in failed(path)} & {"token_ids", "scores"}
    assert not {name for name in failed(path) if name.startswith("sha256")}
