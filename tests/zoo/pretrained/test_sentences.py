"""Sentence encoders make vectors as the files of sentence-transformers beside them say."""

import json

import numpy as np
import pytest
from keras import ops

import zoo
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.pretrained.tiny_bert import POSITIONS, VOCABULARY, as_sentence_encoder, write
from zoo.errors import UserError

TEXTS = ["A man in a red hat.", "Über dogs!", "", "zebra 你b"]


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        {"embedding_dimension": 12, "pooling_mode": "cls", "include_prompt": True},  # of 5.4 on
    ],
)
def test_pooling_is_what_sentence_transformers_wrote(pooling, tmp_path):
    write(tmp_path)
    task = zoo.from_pretrained(as_sentence_encoder(tmp_path, pooling=pooling, max_seq_length=9))
    assert (task.settings.pooling, task.settings.normalize) == ("cls", False)
    assert task.settings.max_length == 9
    inputs = inputs_of(task, ids_of(task, TEXTS))
    expected = ops.convert_to_numpy(task.model.backbone(inputs)["sequence"])[:, 0]
    np.testing.assert_allclose(task.embed(TEXTS), expected, atol=1e-5)


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode_max_tokens": True},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode": "lasttoken"},
        {"pooling_mode": ["mean", "cls"]},
    ],
)
def test_other_pooling_is_refused(pooling, tmp_path):
    with pytest.raises(UserError, match=r"the pooling \[.*'\] is not supported"):
        zoo.from_pretrained(as_sentence_encoder(write(tmp_path), pooling=pooling))


def test_other_modules_are_refused_by_name(tmp_path):
    """As the Dense of LaBSE, whose vectors are not those of its encoder."""
    kinds = ("models.Transformer", "models.Pooling", "models.Dense", "models.Normalize")
    folder = as_sentence_encoder(write(tmp_path), kinds)
    with pytest.raises(
        UserError, match="modules.json: the module Dense is not supported; expected"
    ):
        zoo.from_pretrained(folder)
    assert zoo.from_pretrained(folder, task="token-tagger").name == "token-tagger"
    modules = json.loads((tmp_path / "modules.json").read_text())
    modules[2]["type"] = "custom_st.Normalize"
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(
        UserError, match="the module custom_st.Normalize is not supported; expected"
    ):
        zoo.from_pretrained(folder)


def test_a_prompt_before_every_text_is_refused(tmp_path):
    facts = {"prompts": {"query": "query: "}, "default_prompt_name": "query"}
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(facts))
    folder = as_sentence_encoder(write(tmp_path))
    with pytest.raises(UserError, match="default_prompt_name = query is not supported"):
        zoo.from_pretrained(folder)
    facts["default_prompt_name"] = None
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(facts))
    assert zoo.from_pretrained(folder).settings.pooling == "mean"


@pytest.mark.parametrize(
    ("said", "tokenizer", "length"),
    [({"max_seq_length": 9}, 7, 9), ({}, 7, 7), ({"max_seq_length": None}, 10**30, POSITIONS)],
)
def test_the_length_is_that_of_the_tokenizer_where_no_other_is_said(
    said, tokenizer, length, tmp_path
):
    folder = as_sentence_encoder(write(tmp_path), **said)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": tokenizer}))
    assert zoo.from_pretrained(folder).settings.max_length == length


@pytest.mark.parametrize(
    ("keeps_case", "lowercase", "pieces"),
    [
        (True, True, ["a", "hat", "über"]),  # case goes, accents stay
        pytest.param(True, False, ["[UNK]", "hat", "[UNK]"], marks=pytest.mark.thorough),
        pytest.param(False, True, ["a", "hat", "uber"], marks=pytest.mark.thorough),
    ],
)
def test_case_goes_where_the_encoder_says_so(keeps_case, lowercase, pieces, tmp_path):
    folder = as_sentence_encoder(write(tmp_path / "checkpoint"), do_lower_case=lowercase)
    settings = {"do_lower_case": not keeps_case}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    task = zoo.from_pretrained(folder)
    again = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "written"))
    for each in (task, again):
        (ids,) = ids_of(each, ["A hat Über"])
        assert [VOCABULARY[i] for i in ids[1:-1]] == pieces


@pytest.mark.parametrize(
    ("pooling", "normalize"),
    [
        ("cls", False),
        pytest.param("cls", True, marks=pytest.mark.thorough),
        pytest.param("mean", False, marks=pytest.mark.thorough),
    ],
)
def test_what_is_written_is_read_again(pooling, normalize, tmp_path):
    task = zoo.from_pretrained(
        write(tmp_path / "checkpoint"), pooling=pooling, normalize=normalize, max_length=9
    )
    again = zoo.from_pretrained(zoo.to_pretrained(task, tmp_path / "written"))
    for name in ("pooling", "normalize", "max_length"):
        assert getattr(again.settings, name) == getattr(task.settings, name)
    np.testing.assert_array_equal(again.embed(TEXTS), task.embed(TEXTS))
    assert (again.embed(TEXTS) != zoo.from_pretrained(tmp_path / "checkpoint").embed(TEXTS)).any()
