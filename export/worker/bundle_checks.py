"""The checks of a bundle in LiteRT-LM, the runtime that serves it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from .axes import Spec
from .bundle_likelihood import IDS, PASSAGE, likelihood_checks
from .bundle_model import BundleModel
from .lm_runtime import Refused, Runtime, running
from .messages import Finding, finding, one_line
from .probes import Probe
from .quantization_agreement import agreement_checks
from .signature_checks import output_checks

GENERATE, CHAT = "generate", "chat"
# Of a probe: ids and text of a prompt or the messages of a conversation, and the ids of the answer.
TEXT, MESSAGES, COUNT, ANSWER = "text", "messages", "count", "answer"
# Of answers of the runtime and of LiteRT with the same file, which may differ where two tokens are
# nearly as probable.
SAME_WEIGHTS = {"error": 0.0, "agreement": 0.97}


def bundle_checks(content: bytes, probes: dict[str, list[Probe]], entry: dict) -> Iterator[Finding]:
    """Checks that the runtime answers as the model does.

    Args:
        content: The bundle.
        probes: Prompts and conversations, with what the model answers.
        entry: The entry of the bundle in the manifest.
    """
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "model.litertlm"
        bundle.write_bytes(content)  # what was read: whoever may write to the file may change it
        try:
            with running(bundle) as runtime:
                model = BundleModel(content)
                yield from _checks(runtime, model, probes, entry)
            if PASSAGE in probes:
                yield from likelihood_checks(model, probes[PASSAGE], entry["tolerance"])
        except Exception as error:  # whatever the runtime raises is the finding
            yield finding("loads", False, one_line(error))


def _checks(
    runtime: Runtime, model: BundleModel, probes: dict[str, list[Probe]], entry: dict
) -> Iterator[Finding]:
    facts = entry["config"]
    start, actual = facts.get("start_token"), runtime.stop_tokens
    before = "no token" if runtime.start_token is None else f"the token {runtime.start_token}"
    same = facts["stop_tokens"] == actual and runtime.start_token == start
    yield finding("stop tokens", same, f"{actual}, and {before} is put before a prompt")
    prompts, talks = probes.get(GENERATE, []), probes.get(CHAT, [])
    if not prompts:
        yield finding("prompts", False, "there are none to compare with")
        return
    yield from _tokens(runtime, [*prompts, *talks], [] if start is None else [start])
    generated = [runtime.answer(_text(x.inputs[TEXT]), int(x.inputs[COUNT])) for x in prompts]
    yield from _answers(GENERATE, runtime, model, prompts, generated, entry)
    yield _too_long(runtime, prompts, facts["max_length"])
    if talks:
        yield from _conversations(runtime, model, talks, entry)


def _tokens(runtime: Runtime, probes: Sequence[Probe], start: list[int]) -> Iterator[Finding]:
    """Whether the runtime splits every prompt as the model's tokenizer does, behind `start`."""
    wrong = [
        probe
        for probe in probes
        if start + runtime.encode(_text(probe.inputs[TEXT])) != _ids(probe.inputs)
    ]
    lengths = sorted(len(_ids(probe.inputs)) for probe in probes)
    detail = f"{len(probes)} prompts of {lengths[0]} to {lengths[-1]} tokens"
    if wrong:
        detail = f"{len(wrong)} of {detail} have other ids: {_text(wrong[0].inputs[TEXT])[:40]!r}"
    yield finding("tokenizer", not wrong, detail)


def _answers(
    name: str,
    runtime: Runtime,
    model: BundleModel,
    probes: Sequence[Probe],
    answers: Sequence[str],
    entry: dict,
) -> Iterator[Finding]:
    """Whether the answers are those of the model; both are texts of the runtime's tokenizer.

    Those of a quantized bundle are compared with what its own signatures give, token by token up to
    the first that differs: how much of the model it keeps is judged by the passage.
    """
    facts = entry["config"]
    stops, quantized = set(facts["stop_tokens"]), bool(entry.get("quantize"))
    ids = [[int(x) for x in probe.outputs[ANSWER]] for probe in probes]
    expected = ids
    if quantized:
        expected = [
            model.greedy(_ids(x.inputs), int(x.inputs[COUNT]), stops, facts["suppressed_tokens"])
            for x in probes
        ]
    texts = [runtime.decode([x for x in each if x not in stops]) for each in expected]
    if quantized:
        pairs = [_of_ids(runtime.encode(text)) for text in texts]
        results = [_of_ids(runtime.encode(text)) for text in answers]
        specs = {ANSWER: Spec(("batch", None), -1, "int32")}
    else:
        pairs = [_of_text(text) for text in texts]
        results = [_of_text(text) for text in answers]
        specs = {ANSWER: Spec((None,), None, "string")}
    compared = [Probe(probe.inputs, pair) for probe, pair in zip(probes, pairs, strict=True)]
    if quantized:
        lines = agreement_checks(name, compared, results, SAME_WEIGHTS, {}, specs)
    else:
        lines = output_checks(name, compared, results, entry["tolerance"], specs)
    same = sum(one == other for one, other in zip(ids, expected, strict=True))
    told = f"; {len(ids)} answers"
    told += f", of which the model itself gives {same}" if quantized else ""
    told += f", and {sum(bool(x) and x[-1] in stops for x in ids)} of the model's end"
    for line in lines:
        yield {**line, "detail": f"{line['detail']}{told}"}


def _too_long(runtime: Runtime, prompts: Sequence[Probe], max_length: int) -> Finding:
    """Whether a prompt that fills the caches is refused, and the next one answered nevertheless."""
    longest = max(prompts, key=lambda probe: len(_ids(probe.inputs)))
    text = _text(longest.inputs[TEXT]) * 2
    while len(runtime.encode(text)) < max_length:
        text += text
    try:
        runtime.answer(text, 1)
    except Refused:
        runtime.answer(_text(prompts[0].inputs[TEXT]), 1)
        return finding("full caches", True, f"a prompt of {max_length} tokens or more is refused")
    return finding("full caches", False, "a prompt that does not fit is answered")


def _conversations(
    runtime: Runtime, model: BundleModel, talks: Sequence[Probe], entry: dict
) -> Iterator[Finding]:
    """Whether the template makes the same prompts in the runtime, which answers as the model."""
    answers, wrong = [], []
    for talk in talks:
        messages = json.loads(_text(talk.inputs[MESSAGES]))
        prompt, answer = runtime.chat(messages, int(talk.inputs[COUNT]))
        answers.append(answer)
        if prompt != _text(talk.inputs[TEXT]):
            wrong.append(prompt)
    detail = f"{len(talks)} conversations have the prompts that Jinja makes"
    if wrong:
        detail = f"the runtime makes another prompt than Jinja: {wrong[0][:80]!r}"
    yield finding("chat template", not wrong, detail)
    yield from _answers(CHAT, runtime, model, talks, answers, entry)


def _ids(inputs: dict) -> list[int]:
    return [int(x) for x in inputs[IDS]]


def _text(array) -> str:
    return array.item().decode()


def _of_text(text: str) -> dict:
    return {ANSWER: np.array([text.encode()], object)}


def _of_ids(ids: Sequence[int]) -> dict:
    return {ANSWER: np.array([ids], np.int32)}
