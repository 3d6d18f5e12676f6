"""The registry: literal rows that import nothing, and all that is derived from them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import zoo
from zoo.errors import UserError
from zoo.models.create import create_model, list_models, model_class, with_layers_of
from zoo.models.options import check_options
from zoo.registry import MODELS, TASKS
from zoo.registry_rows import ModelRow, by_name, resolve
from zoo.tasks.load import task_class
from zoo.tasks.task import Task


def test_reading_it_imports_neither_tensorflow_nor_keras():
    code = (
        "import sys, zoo, zoo.registry, zoo.models.create; print(zoo.__all__);"
        "assert not {'tensorflow', 'keras', 'keras_attn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.name)
def test_every_model_is_importable(row):
    for path in {*row.tasks.values(), row.backbone} - {None}:
        assert resolve(path).__doc__.count("Source:") == 1
    assert set(row.tasks) <= set(TASKS) and row.layers_of in (None, *MODELS)
    # Without a task there is one class to create.
    assert row.backbone is not None or len(set(row.tasks.values())) == 1


@pytest.mark.parametrize("row", TASKS.values(), ids=lambda row: row.name)
def test_every_task_is_importable(row):
    kind = task_class(row.name)
    assert issubclass(kind, Task) and kind.name == row.name
    assert getattr(zoo, kind.__name__) is kind
    assert row.summary.endswith(".") and row.name in {t for m in list_models() for t in m.tasks}


def test_public_names():
    assert zoo.__all__ == sorted(zoo.__all__) and len(set(zoo.__all__)) == len(zoo.__all__)
    # Those for type checkers, which read no registry.
    tree = ast.parse(Path(zoo.__file__).read_text("utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    static = {alias.name: node.module for node in block.body for alias in node.names}
    assert sorted(static) == zoo.__all__
    for name, module in static.items():
        assert getattr(zoo, name) is getattr(sys.modules[module], name)
    with pytest.raises(AttributeError, match="has no attribute 'chess'"):
        _ = zoo.chess


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess",), "unknown model 'chess'; choose from ngram_classifier, rnn_class"),
        (("bert", "huge"), "unknown preset 'huge' of bert; choose from tiny, mini_lm, base, large"),
        (
            ("bert", None, "causal-lm"),
            "unknown model .bert. for causal-lm; choose from rnn_lm",
        ),
    ],
)
def test_unknown_names_list_the_choices(arguments, message):
    with pytest.raises(UserError, match=message):
        create_model(*arguments)


def test_an_unknown_task():
    with pytest.raises(UserError, match="unknown task 'chess'; choose from text-to-text, causal"):
        task_class("chess")


def test_a_duplicate_name():
    row = ModelRow("bert", {}, "", {})
    with pytest.raises(ValueError, match="'bert' is registered twice; names so far: gpt, bert"):
        by_name(MODELS["gpt"], row, row)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "gpt requires the option 'vocabulary_size'"),
        ({"vocabulary_size": 0}, "vocabulary_size must be an integer of at least 1, got 0"),
        ({"colour": "red"}, "gpt has no option 'colour'; choose from vocabulary_size, num_layers"),
    ],
)
def test_options_are_checked(config, message):
    with pytest.raises(UserError, match=message):
        create_model("gpt", "tiny", **config)


@pytest.mark.parametrize(
    ("given", "nearest"),
    [("num_head", "num_heads"), ("hidden_size", "hidden_dim"), ("positions", "position")],
)
def test_the_nearest_option_is_before_a_list_that_may_be_cut(given, nearest):
    with pytest.raises(UserError) as error:
        check_options("llama", "tiny", {given: 3}, "causal-lm")
    message = f"llama has no option '{given}'; did you mean {nearest}? Choose from "
    assert str(error.value).startswith(message)


def test_what_a_task_takes_from_its_data_is_no_option():
    check_options("bert", "tiny", {"dropout": 0.5}, "text-classifier")
    with pytest.raises(
        UserError, match="bert has no option 'num_classes'; did you mean num_layers"
    ):
        check_options("bert", "tiny", {"num_classes": 3}, "text-classifier")


def test_models_with_the_same_layers():
    assert with_layers_of("gpt", "text-to-text") == "prefix_gpt"
    assert with_layers_of("prefix_gpt", "causal-lm") == "gpt"
    assert with_layers_of("rnn_lm", "text-to-text") == "rnn_lm"  # no other has its layers
    with pytest.raises(UserError, match="unknown model 'gpt' for denoising; choose from bart"):
        model_class("gpt", "denoising")
