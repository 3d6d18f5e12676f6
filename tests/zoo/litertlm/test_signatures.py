"""What LiteRT-LM calls computes what the model computes for the whole text."""

from dataclasses import replace

import numpy as np
import pytest
from keras import ops

import zoo
from tests.zoo.pretrained.tiny_llama import VOCABULARY, write
from zoo.errors import UserError
from zoo.litertlm.signatures import signatures
from zoo.models.gpt import GPT
from zoo.models.llama import OPTIONS, Llama
from zoo.models.transformer_options import TransformerOptions

MODELS = {
    "llama": lambda: Llama(
        23,
        num_layers=2,
        hidden_dim=8,
        num_heads=2,
        intermediate_dim=12,
        options=replace(OPTIONS, num_key_value_heads=1),
    ),
    "gpt": lambda: GPT(
        23, num_layers=2, hidden_dim=8, num_heads=2, intermediate_dim=12, max_sequence_length=30
    ),
}
IDS = np.random.default_rng(1).integers(0, 23, (1, 21)).astype("int32")


@pytest.fixture(params=MODELS)
def model(request):
    model, rng = MODELS[request.param](), np.random.default_rng(2)
    for weight in model.weights:
        weight.assign(rng.normal(0, 0.5, weight.shape))
    return model


def read(signature, ids, start, caches):
    """A call as LiteRT-LM makes it: the outputs, and the caches among them."""
    positions = np.arange(start, start + ids.shape[1], dtype="int32")
    outputs = signature.infer(tokens=ids, input_pos=positions, **caches)
    return outputs, {name: outputs[name] for name in caches}


def test_prefill_and_decode_give_the_logits_of_the_whole_text(model):
    built = signatures(model, 23, 24)
    assert list(built) == ["decode", "prefill_16", "prefill_1"]
    specs = built["decode"].inputs
    caches = {n: np.zeros(x.shape, "float32") for n, x in specs.items() if "cache" in n}
    assert set(specs) == {"tokens", "input_pos", *caches}
    assert set(caches) == {f"kv_cache_{each}_{i}" for each in "kv" for i in range(2)}
    outputs, caches = read(built["prefill_16"], IDS[:, :16], 0, caches)
    assert set(outputs) == set(caches)  # no logits
    for index in (16, 17, 18):
        _, caches = read(built["prefill_1"], IDS[:, index : index + 1], index, caches)
    whole = model({"token_ids": IDS, "padding_mask": IDS >= 0})["logits"]
    for index in (19, 20):
        outputs, caches = read(built["decode"], IDS[:, index : index + 1], index, caches)
        logits = ops.convert_to_numpy(outputs["logits"])
        assert logits.shape == (1, 1, 23)
        expected = ops.convert_to_numpy(whole)[0, index]
        np.testing.assert_allclose(logits[0, 0], expected, atol=1e-5)
        assert expected.std() > 0.1


def test_sizes_that_the_caches_do_not_hold_are_left_out():
    model = MODELS["llama"]()
    assert list(signatures(model, 23, 15)) == ["decode", "prefill_1"]
    every = ["decode", "prefill_512", "prefill_128", "prefill_16", "prefill_1"]
    assert list(signatures(model, 23, 512)) == every


def test_caches_without_a_place_for_every_position_are_refused():
    sizes = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 12}
    model = GPT(23, **sizes, options=TransformerOptions(attention="linear"))
    with pytest.raises(UserError, match="models with full attention, whose caches"):
        signatures(model, 23, 24)


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("llama"), max_position_embeddings=700)
    return zoo.from_pretrained(path, max_length=640, max_new_tokens=16)


def test_answers_are_the_tokens_that_the_task_generates(task):
    form = task.for_litertlm(40)
    prompts = [ids for _, ids in form.prompts()]
    assert [len(ids) for ids in prompts] == [1, 15, 16, 17, 38, 39]
    answers = form.answers(prompts, 6)
    assert [len(each) for each in answers[-2:]] <= [2, 1]  # then the caches are full
    for ids, answer in zip(prompts, answers, strict=True):
        expected = task.generate_ids(np.array([ids], "int32"), len(answer))[0]
        assert answer == [each for each in expected.tolist() if each >= 0]


def test_prompts_have_every_length_at_an_edge(task):
    lengths = [len(ids) for _, ids in task.for_litertlm().prompts()]
    assert lengths == [1, 15, 16, 17, 127, 128, 129, 511, 512, 513, 638, 639]


def test_stop_tokens_padding_and_what_is_never_generated(task):
    form = task.for_litertlm()
    assert (form.max_length, form.chat_template) == (640, "")
    start, end = (VOCABULARY.index(f"<|im_{name}|>") for name in ("start", "end"))
    assert (form.stop_tokens, form.pad_token, form.suppressed_tokens) == ([end], end, (start,))


@pytest.mark.parametrize("length", [0, 1, 641])
def test_a_length_that_the_task_does_not_have(task, length):
    with pytest.raises(UserError, match=f"from 2 to 640, that of the task; got {length}$"):
        task.for_litertlm(length)


def test_a_task_without_a_language_model():
    task = zoo.TextClassifier("bert", "tiny", max_length=8)
    with pytest.raises(UserError, match="^LiteRT-LM runs causal-lm tasks, and this is a text-clas"):
        task.for_litertlm()


def test_a_model_without_caches_of_keys_and_values():
    task = zoo.CausalLM("rnn_lm", "tiny", tokenizer="bytes", units=8, max_length=8)
    task.adapt(["to be or not"])
    with pytest.raises(UserError, match="rnn_lm has none: train gpt or llama$"):
        task.for_litertlm()
