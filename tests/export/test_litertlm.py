"""Bundles of language models in LiteRT-LM, the runtime that serves them."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import export
import zoo
from export.bundle_probes import CONVERSATIONS, IN_PARTS
from export.serving import open_artifact
from export.worker.bundle import MAGIC, litert_of
from export.worker.bundle_checks import ANSWER, CHAT, GENERATE, TEXT, bundle_checks
from export.worker.bundle_likelihood import IDS, LOG_PROBABILITIES, PASSAGE, PREDICTED
from export.worker.probes import Probe, load_probes
from tests.zoo.pretrained import tiny_gemma
from tests.zoo.pretrained.tiny_llama import VOCABULARY, write
from zoo.errors import UserError
from zoo.litertlm.chat_template import with_joined_parts
from zoo.litertlm.prompts import PASSAGE as TEXT_OF_PASSAGE
from zoo.text.byte_bpe import byte_characters
from zoo.text.chats import rendered

runtime = pytest.importorskip("litert_lm", reason="needs the extra litertlm")

# SmolLM2's, which adds up what messages say.
TEMPLATE = """\
{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}\
{{ '<|im_start|>system\nBe brief<|im_end|>\n' }}{% endif %}\
{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""
ASK = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
PROMPTS = [
    f"<|im_start|>system\nBe brief<|im_end|>\n{ASK}",
    f"<|im_start|>system\nYou answer in one word.<|im_end|>\n{ASK}",
    "<|im_start|>system\nBe brief<|im_end|>\n<|im_start|>user\nHello!<|im_end|>\n"
    f"<|im_start|>assistant\nHi, Zoë.<|im_end|>\n{ASK}",
]
PLAIN = "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}"
LENGTH = 400


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """A language model that writes printable text, so that different tokens are different texts."""
    folder = write(tmp_path_factory.mktemp("llama"), max_position_embeddings=700)
    task = zoo.from_pretrained(folder, max_length=640, max_new_tokens=16)
    table = task.model.embedding.embeddings
    rows, bytes_of = np.array(table), {x: byte for byte, x in byte_characters().items()}
    for number, piece in enumerate(VOCABULARY[2:], 2):
        if any(bytes_of.get(x, 0) not in range(32, 127) for x in piece):
            rows[number] = 0.0
    table.assign(rows)
    return task


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "chat_template.jinja"
    path.write_text(TEMPLATE, "utf-8")
    return path


@pytest.fixture(scope="module")
def bundle(task, template, tmp_path_factory):
    """A verified bundle, and the report."""
    path = tmp_path_factory.mktemp("bundle") / "tiny.litertlm"
    return path, export.litertlm(task, path, max_length=LENGTH, chat_template=template)


@pytest.fixture(scope="module")
def checked(bundle):
    """The content, the entry and the probes of the bundle."""
    path, report = bundle
    entry = {**report.manifest, "tolerance": {"error": 1e-4, "agreement": 1.0}}
    return path.read_bytes(), entry, load_probes(path.with_name(report.manifest["probes"]))


def failures(content, probes, entry) -> list[str]:
    checks: Iterator[dict] = bundle_checks(content, probes, entry)
    return [each["name"] for each in checks if not each["passed"]]


def test_every_check_passes_in_a_process_of_its_own(bundle):
    path, report = bundle
    details = {each.name: each.detail for each in report.checks}
    assert report.passed
    assert details["tokenizer"].startswith("12 prompts of 1 to 399 tokens")
    assert (
        "100.0% equal" in details["generate: answer"] and "9 answers" in details["generate: answer"]
    )
    assert "3 answers" in details["chat: answer"]
    assert details["full caches"] == f"a prompt of {LENGTH} tokens or more is refused"
    assert "isolated" in details and details["weights stored once"] == "0 bytes are stored twice"
    assert report.manifest["operators"]["DYNAMIC_UPDATE_SLICE"] > 0
    assert export.verify(path).passed


def test_the_runtime_writes_what_the_task_generates(bundle, task):
    greedy = runtime.SamplerConfig(top_k=1, top_p=0.0, temperature=1.0)
    texts = set()
    with runtime.Engine(str(bundle[0]), cache_dir=":nocache") as engine:
        for prompt in ("of the women", "no way", "the woman is 2", "w"):
            how = {"apply_prompt_template": False, "max_output_tokens": 12}
            with engine.create_session(**how, sampler_config=greedy) as session:
                session.run_prefill([prompt])
                (text,) = session.run_decode().texts
            assert text == task.predict([prompt], max_new_tokens=12)[0]
            texts.add(text)
        assert engine.eos_token_ids == [[1]] and engine.bos_token_id is None
    assert len(texts) > 1 and all(text.isprintable() for text in texts)


def test_the_probes_reach_every_edge_and_some_answers_stop(checked):
    _, _, probes = checked
    lengths = [len(each.inputs[IDS]) for each in probes[GENERATE]]
    assert lengths == [1, 15, 16, 17, 127, 128, 129, 398, 399]
    answers = [each.outputs[ANSWER].tolist() for each in probes[GENERATE]]
    assert len(answers[-1]) == 1  # the caches have one place left
    assert any(each[-1] == 1 and len(each) < 16 for each in answers)
    assert [each.inputs[TEXT].item().decode() for each in probes[CHAT]] == PROMPTS


def changed(probe: Probe, **outputs: np.ndarray) -> Probe:
    return Probe(probe.inputs, {**probe.outputs, **outputs})


def test_other_tokens_prompts_and_stops_are_found(checked):
    content, entry, probes = checked
    assert failures(content, probes, entry) == []
    other = probes[GENERATE][1].outputs[ANSWER].copy()
    other[0] = VOCABULARY.index("w") if other[0] != VOCABULARY.index("w") else 3
    wrong = {**probes, GENERATE: [changed(probes[GENERATE][1], answer=other)]}
    assert failures(content, wrong, entry) == ["generate: answer"]
    prompt = {**probes[CHAT][0].inputs, TEXT: np.array(b"Hi", object)}
    wrong = {**probes, CHAT: [Probe(prompt, probes[CHAT][0].outputs)]}
    assert failures(content, wrong, entry) == ["tokenizer", "chat template"]
    stops = {**entry, "config": {**entry["config"], "stop_tokens": [7]}}
    assert "stop tokens" in failures(content, probes, stops)
    longer = {**entry, "config": {**entry["config"], "max_length": 2}}
    assert failures(content, probes, longer) == []
    assert failures(content[:200_00], probes, entry) == ["loads"]


def test_the_perplexity_of_a_passage_is_that_of_the_model(bundle, task):
    details = {each.name: each.detail for each in bundle[1].checks}
    ids = np.array([task.preprocessor.tokenizer.tokenize([TEXT_OF_PASSAGE]).to_list()[0][:LENGTH]])
    logits = np.array(task.model({"token_ids": ids, "padding_mask": ids >= 0})["logits"], "float64")
    log_p = logits[0, :-1] - np.logaddexp.reduce(logits[0, :-1], axis=1, keepdims=True)
    perplexity = np.exp(-log_p[np.arange(ids.size - 1), ids[0, 1:]].mean())
    line = details["passage: perplexity"]
    assert line.startswith(f"{perplexity:.4g}, of the model {perplexity:.4g}: ")
    assert details["passage: next tokens"].startswith(f"100.0% of {ids.size - 1} are the same")


def test_another_likelihood_of_the_passage_is_found(checked):
    content, entry, probes = checked
    (passage,) = probes[PASSAGE]
    more = {LOG_PROBABILITIES: passage.outputs[LOG_PROBABILITIES] + 1e-3}
    wrong = {**probes, PASSAGE: [changed(passage, **more)]}
    assert failures(content, wrong, entry) == ["passage: perplexity"]
    other = passage.outputs[PREDICTED].copy()
    other[7] += 1
    wrong = {**probes, PASSAGE: [changed(passage, **{PREDICTED: other})]}
    assert failures(content, wrong, entry) == ["passage: next tokens"]


@pytest.fixture(scope="module")
def trained():
    """A model that has learned something, so that rounding changes few of its answers.

    Vocabulary and kernels are larger than what the check takes for equal by chance.
    """
    wide = {"hidden_dim": 128, "num_heads": 2, "intermediate_dim": 256, "num_layers": 1}
    task = zoo.CausalLM("llama", "tiny", tokenizer="bytes", max_length=40, **wide)
    texts = ["to be or not to be, that is the question. " * 9] * 8
    task.adapt(texts)
    task.fit(texts, epochs=8, batch_size=16, verbose=False, xla=False)
    return task


@pytest.mark.quick(1)
@pytest.mark.parametrize("quantize", ["int8", "dynamic_int8", "float16"])
def test_quantized_bundles_agree_and_their_signatures_share_the_weights(
    trained, quantize, tmp_path
):
    report = export.litertlm(trained, tmp_path / "wide.litertlm", quantize=quantize)
    details = {each.name: each.detail for each in report.checks}
    assert details["weights stored once"] == "0 bytes are stored twice"
    assert "decisions are the same" in details["generate: answer"]
    assert report.files[0]["file"] == quantize and report.files[0]["agreement"] >= 0.9
    assert details["passage: perplexity"].startswith(f"{report.files[0]['passage_perplexity']:.4g}")
    bytes_each = {"float16": 2}.get(quantize, 1)
    weights = sum(np.array(weight).size for weight in trained.model.weights)
    assert 0.9 < report.manifest["bytes"] / (weights * bytes_each) < 1 + 3e5 / weights / bytes_each


def test_gpt_with_learned_positions_and_bytes(tmp_path):
    task = zoo.CausalLM(
        "gpt", "tiny", tokenizer="bytes", num_layers=1, hidden_dim=16, max_length=24
    )
    task.adapt(["to be or not to be, that is the question"])
    rng = np.random.default_rng(0)
    for weight in task.model.weights:
        weight.assign(weight + rng.normal(0, 0.3, weight.shape))
    table = np.array(task.model.embedding.embeddings)
    table[np.r_[0:36, 131 : len(table)]] = 0.0
    task.model.embedding.embeddings.assign(table)
    assert export.litertlm(task, tmp_path / "gpt.litertlm").passed


@pytest.mark.thorough
def test_conversations_with_a_model_of_own_chats_are_as_replies(tmp_path):
    """Its template is that of the chats it learned, and its answers end."""
    chats = [
        [
            {"role": "user", "content": f"what is {a}?"},
            {"role": "assistant", "content": f"it is {a}"},
        ]
        for a in ("red", "blue", "tall")
    ]
    sizes = {"num_layers": 1, "hidden_dim": 64, "num_heads": 2, "intermediate_dim": 128}
    task = zoo.CausalLM("llama", "tiny", max_length=96, **sizes)
    task.fit(chats, epochs=150, batch_size=4, learning_rate=5e-3, verbose=False, xla=False)
    report = export.litertlm(task, tmp_path / "own.litertlm")
    assert report.passed and any(check.name.startswith("chat: ") for check in report.checks)
    greedy = runtime.SamplerConfig(top_k=1, top_p=0.0, temperature=1.0)
    answers = []
    with runtime.Engine(str(tmp_path / "own.litertlm"), cache_dir=":nocache") as engine:
        for chat in chats:
            with engine.create_conversation(sampler_config=greedy) as conversation:
                said = conversation.send_message(chat[0]["content"])
            answers += ["".join(part["text"] for part in said["content"])]
    assert answers == task.reply([chat[:1] for chat in chats])
    assert {*answers} <= {chat[1]["content"] for chat in chats}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "{% for x in range(99999) %}{% for y in range(99999) %}{% endfor %}{% endfor %}",
            "takes more than 2 seconds",
        ),
        ("{{ raise_exception('no system') }}", "template failed .no system"),
        ("{% if %}", "template is not valid .Expected"),
        ("{{ ''.__class__.__mro__ }}", "template failed .access to attribute"),
        (
            "{% for m in messages %}{{ m['content'] * 99 }}{% endfor %}",
            "prompt of .* tokens of a s",
        ),
    ],
)
def test_bad_templates_leave_nothing(task, content, message, tmp_path):
    template = tmp_path / "bad.jinja"
    template.write_text(content)
    with pytest.raises(ValueError, match=message) as error:
        export.litertlm(task, tmp_path / "tiny.litertlm", max_length=24, chat_template=template)
    assert "\n" not in str(error.value) and str(error.value).startswith("the chat template ")
    assert [each.name for each in tmp_path.iterdir()] == ["bad.jinja"]


def test_templates_are_rendered_with_parts_as_with_texts():
    joined = with_joined_parts(TEMPLATE)
    prompts = [text for ((text, _),) in rendered(joined, IN_PARTS, {}, prompt=True)]
    assert prompts == PROMPTS
    assert [len(each) for each in CONVERSATIONS] == [1, 2, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "x.tflite"}, "path must name a .litertlm file"),
        ({"quantize": "static_int8"}, "cannot have static_int8: use int8"),
        ({"quantize": "int3"}, "quantize must be one of"),
        ({"max_length": 641}, "max_length must be from 2 to 640"),
        ({"chat_template": "none.jinja"}, "none.jinja is not a readable chat template"),
    ],
)
def test_arguments_are_refused(task, options, message, tmp_path):
    given = {"path": "tiny.litertlm", **options}
    path = tmp_path / given.pop("path")
    with pytest.raises(ValueError, match=message):
        export.litertlm(task, path, **given)
    assert list(tmp_path.iterdir()) == []


def test_a_keras_model_is_refused(task, tmp_path):
    with pytest.raises(ValueError, match="^LiteRT-LM runs tasks; received Llama"):
        export.litertlm(task.model, tmp_path / "tiny.litertlm")


def test_a_bundle_is_not_served_as_an_artifact(bundle):
    with pytest.raises(ValueError, match=r"tiny.litertlm is a bundle for LiteRT-LM: run it with"):
        open_artifact(bundle[0])


def test_a_changed_bundle_is_refused(bundle, tmp_path):
    path, report = bundle
    for file in path.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    content = bytearray(path.read_bytes())
    content[-1000] ^= 1
    (tmp_path / path.name).write_bytes(content)
    assert [each.name for each in export.verify(tmp_path / path.name).failed] == ["sha256 artifact"]
    assert bytes(content).startswith(MAGIC) and litert_of(bytes(content))[4:8] == b"TFL3"
    assert json.loads((tmp_path / "manifest.json").read_text())["artifacts"][path.name]


def test_the_page_has_code_that_runs(bundle, monkeypatch, capsys):
    path = Path(bundle[0])
    page = path.with_name(f"{path.name}.SIGNATURES.md").read_text()
    monkeypatch.chdir(path.parent)
    exec(page.split("```python\n")[1].split("```")[0], {})
    assert capsys.readouterr().out.strip()


@pytest.fixture(scope="module")
def starting(tmp_path_factory):
    """A language model whose tokenizer puts the start token before texts, and that never ends."""
    folder = write(tmp_path_factory.mktemp("start"), max_position_embeddings=700)
    (folder / "tokenizer_config.json").write_text(json.dumps({"add_bos_token": True}), "utf-8")
    task = zoo.from_pretrained(folder, max_length=200, max_new_tokens=16)
    table = task.model.embedding.embeddings
    rows, bytes_of = np.array(table), {x: byte for byte, x in byte_characters().items()}
    for number, piece in enumerate(VOCABULARY[2:], 2):
        if any(bytes_of.get(x, 0) not in range(32, 127) for x in piece):
            rows[number] = 0.0
    rows[1] = 0.0
    table.assign(rows)
    return task


def test_the_runtime_puts_the_start_token_before_prompts_once(starting, tmp_path):
    path, template = tmp_path / "tiny.litertlm", tmp_path / "chat.jinja"
    template.write_text("{{ bos_token }}" + PLAIN, "utf-8")
    assert export.litertlm(starting, path, max_length=160, chat_template=template).passed
    page = path.with_name(f"{path.name}.SIGNATURES.md").read_text("utf-8")
    assert "The runtime puts the id 0 before each prompt." in page
    (ids,) = starting.tokenizer.tokenize(["of the women"]).to_list()
    expected = [
        starting.tokenizer.detokenize(starting.generate_ids(np.array([row]), 12)).numpy()[0]
        for row in ([0, *ids], ids, [0, 0, *ids])
    ]
    assert len(set(expected)) == 3
    greedy = runtime.SamplerConfig(top_k=1, top_p=0.0, temperature=1.0)
    how = {"apply_prompt_template": False, "max_output_tokens": 12}
    with runtime.Engine(str(path), cache_dir=":nocache") as engine:
        assert engine.bos_token_id == 0
        with engine.create_session(**how, sampler_config=greedy) as session:
            session.run_prefill(["of the women"])
            assert session.run_decode().texts[0].encode() == expected[0]
    entry = json.loads((tmp_path / "manifest.json").read_text("utf-8"))["artifacts"][path.name]
    entry["config"]["start_token"] = None
    probes = load_probes(tmp_path / entry["probes"])
    found = failures(
        path.read_bytes(), probes, {**entry, "tolerance": {"error": 1e-4, "agreement": 1.0}}
    )
    assert found == ["stop tokens", "tokenizer"]


def test_a_template_that_spells_the_start_token_is_refused(starting, tmp_path):
    template = tmp_path / "chat.jinja"
    template.write_text(f"{VOCABULARY[0]}{{{{ messages[0]['content'] }}}}", "utf-8")
    with pytest.raises(UserError, match="which LiteRT-LM puts before each prompt, too: write"):
        export.litertlm(starting, tmp_path / "tiny.litertlm", chat_template=template)
    assert not (tmp_path / "tiny.litertlm").exists()


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["gemma2", "gemma3"])
def test_gemma_with_windows_of_some_blocks_and_its_tokenizer(kind, tmp_path):
    """Its vocabulary has bytes, so that some answers are no text."""
    folder = tiny_gemma.write(tmp_path / "checkpoint", kind, max_position_embeddings=150)
    task = zoo.from_pretrained(folder, max_length=140, max_new_tokens=7)
    report = export.litertlm(task, tmp_path / "tiny.litertlm", max_length=131)
    details = {each.name: each.detail for each in report.checks}
    assert report.passed
    assert "prompts of" in details["tokenizer"] and "100.0% equal" in details["generate: answer"]
