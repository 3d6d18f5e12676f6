"""`manifest.schema.json` describes what exports write, and refuses what a verification refuses."""

import copy
import json
from pathlib import Path

import pytest

import export
import zoo
from export import manifest
from export.entry import NEEDED, check_entry
from tests.export.models import tagger

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads((Path(export.__file__).parent / "manifest.schema.json").read_text("utf-8"))
ENTRY = SCHEMA["$defs"]["artifact"]
TYPES = {str: "string", bool: "boolean", dict: "object"}
VALIDATOR = jsonschema.Draft202012Validator(
    SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
)


def errors(folder):
    content = json.loads((folder / manifest.FILE).read_text("utf-8"))
    return [f"{each.json_path}: {each.message}" for each in VALIDATOR.iter_errors(content)]


@pytest.fixture
def content(exported):
    return json.loads((exported / manifest.FILE).read_text("utf-8"))


def test_it_is_a_schema_in_which_every_field_is_described():
    VALIDATOR.check_schema(SCHEMA)
    described = [SCHEMA, *SCHEMA["$defs"].values()]
    while described:
        each = described.pop()
        assert len(each["description"]) > 10, each
        described.extend(each.get("properties", {}).values())
    assert ENTRY["required"] == list(NEEDED)
    for key, kind in NEEDED.items():
        assert ENTRY["properties"][key]["type"] == TYPES[kind], key


def test_a_float32_file(exported):
    assert errors(exported) == []


@pytest.mark.thorough
def test_saved_models_onnx_and_files_of_one_shape(tmp_path):
    export.saved_model(tagger(), tmp_path / "served")
    export.onnx(tagger(), tmp_path / "onnx" / "tagger")
    export.litert(tagger(), tmp_path / "fixed" / "x.tflite", batch=2, length=5)
    for name in ("served", "onnx", "fixed"):
        assert errors(tmp_path / name) == []
    actual = manifest.find(tmp_path / "fixed", "x.tflite")
    assert actual["fixed"] == {"batch": 2, "length": 5, "text_size": None}


@pytest.mark.long
def test_an_int8_file_of_a_task_with_its_metrics(tmp_path):
    rows = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("so dull", "bad")]
    task = zoo.TextClassifier("ngram_classifier")
    task.adapt(rows)
    task.fit(rows * 5, epochs=9, learning_rate=0.3, xla=False, verbose=False)
    test = tmp_path / "test.tsv"
    test.write_text("".join(f"{text}\t{label}\n" for text, label in rows))
    options = {"text": "bytes", "quantize": "int8", "data": test, "max_drop": 1.0}
    export.litert(task, tmp_path / "films.tflite", **options)

    actual = manifest.find(tmp_path, "films.tflite")
    assert [each["file"] for each in actual["files"]] == ["float32", "int8"]
    assert errors(tmp_path) == []


REFUSED = {
    **{f"no {key}": (lambda entry, key=key: entry.pop(key)) for key in NEEDED},
    **{f"{key} is 3": (lambda entry, key=key: entry.update({key: 3})) for key in NEEDED},
    "quantize": lambda entry: entry.update(quantize="int4"),
    "no digest of the artifact": lambda entry: entry["sha256"].pop("artifact"),
    "no digest of the probes": lambda entry: entry["sha256"].pop("probes"),
    "a digest that is none": lambda entry: entry["sha256"].update(artifact=3),
    "beside": lambda entry: entry["beside"].update({"labels.txt": None}),
    "replaces": lambda entry: entry.update(replaces={"format": "litert"}),
}


@pytest.mark.parametrize("change", REFUSED)
def test_what_a_verification_refuses(content, change):
    entry = content["artifacts"]["lines.tflite"]
    check_entry(entry)
    VALIDATOR.validate(content)

    REFUSED[change](entry)
    with pytest.raises(ValueError):
        check_entry(entry)
    assert not VALIDATOR.is_valid(content)


def test_an_entry_is_an_object(content):
    content["artifacts"]["lines.tflite"] = []
    with pytest.raises(ValueError, match="must be a dict"):
        check_entry([])
    assert not VALIDATOR.is_valid(content)


def test_an_older_entry_is_described_too(content):
    entry = content["artifacts"]["lines.tflite"]
    entry["replaces"] = copy.deepcopy(entry)
    assert VALIDATOR.is_valid(content)


def test_a_field_that_is_not_described(content):
    entry = content["artifacts"]["lines.tflite"]
    for part in (content, entry, entry["checks"][0], entry["signatures"]["serving_default"]):
        part["more"] = 1
        assert not VALIDATOR.is_valid(content)
        del part["more"]
    assert VALIDATOR.is_valid(content)
