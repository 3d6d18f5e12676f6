"""A generated text as the answer of a task."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from keras import ops

from zoo.data.examples import Examples
from zoo.decoding.options import REPLACE_UNKNOWN, GenerationOptions
from zoo.decoding.rng import row_seeds
from zoo.errors import UserError
from zoo.heads.generated_text import GeneratedTextHead
from zoo.heads.head import Reader
from zoo.metrics.texts import TextRows
from zoo.metrics.tokens import TokenRows
from zoo.options import names_of, options_of
from zoo.preprocessing.base import Features, TensorSpec
from zoo.preprocessing.byte_texts import TRUNCATED
from zoo.registry.metrics import CAPTIONS, TEXTS, TOKENS
from zoo.serving.inference import Inference, OutputAxes, Program, Run, Tensors
from zoo.serving.memoized import memoized
from zoo.serving.programs import Programs
from zoo.serving.seeded import calls_with_seeds, seeded
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.serving.streamed import single_rows, stream_signatures
from zoo.tasks.answers.token_rows import token_rows
from zoo.tasks.calls import Calls
from zoo.tasks.generation import STREAM, Generation, generated, row_numbers, token_by_token
from zoo.tasks.inputs.sources import GenerationInput, SourceInput
from zoo.tasks.likelihood import SCORE, TOKEN_SCORES
from zoo.tasks.measuring import Judged
from zoo.tasks.parts import Answer, Fitted, Predictor
from zoo.tasks.parts.kinds import E, P, S
from zoo.text.form import TextForm

SEEDS = "seeds"
GENERATOR = "generator"  # name of the program that generates, with any options
BATCH_SIZE = 32  # of what is scored
E_contra = TypeVar("E_contra", bound=Examples, contravariant=True)


class FurtherInferences(Protocol[S, P]):
    """What a model computes besides generation: token scores, and attention if it shows any."""

    @property
    def purposes(self) -> Mapping[str, str]:
        """What the signatures do, in one sentence each, by name."""

    def inferences(
        self, fitted: Fitted[S, P], generate: Callable[..., Tensors]
    ) -> dict[str, Inference]:
        """The inferences, by name of the signature.

        Args:
            fitted: The settings, the preprocessor and the model.
            generate: Function from inputs of the model and `max_new_tokens` to outputs, which
                include `token_ids`. It does not sample.
        """

    def meanings(self, fitted: Fitted[S, P]) -> dict[str, str]:
        """What each output is, in words, by name."""

    def attention_options(
        self, fitted: Fitted[S, P], features: Features, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """See `zoo.tasks.parts.Answer.attention_options`."""


class Judge(Protocol[S, P, E_contra]):
    """What compares the answers of a model with the correct ones."""

    def judged(
        self, predictor: Predictor[Fitted[S, P], GeneratedTextHead], examples: E_contra
    ) -> Judged:
        """See `zoo.tasks.parts.Answer.judged`."""


def no_facts(fitted: Fitted[Any, Any]) -> dict[str, Any]:
    """Nothing."""
    return {}


class Writer(Protocol):
    """What gives the text of each row."""

    def __call__(
        self,
        predictor: Predictor[Fitted[Any, Any], GeneratedTextHead],
        columns: Mapping[str, Sequence[Any]],
        batch_size: int,
    ) -> list[str]:
        """The texts; see `Predictor.results`."""


def as_generated(
    predictor: Predictor[Fitted[Any, Any], GeneratedTextHead],
    columns: Mapping[str, Sequence[Any]],
    batch_size: int,
) -> list[str]:
    """The texts as the model generates them."""
    return predictor.results(columns, batch_size)


def as_predicted(fitted: Fitted[Any, Any], run: Run) -> Run:
    """The function that runs inferences, unchanged."""
    return run


@dataclass(frozen=True)
class GeneratedText(Answer[S, P, E, GeneratedTextHead], Generic[S, P, E]):
    """A text that the model generates, token by token.

    Args:
        task: Name of the task, for messages.
        input: What the model reads.
        further: What the model computes besides.
        judge: What compares the answers with the correct ones.
        one_answer: Whether a text equals the reference or is wrong.
        describe: Function to what the manifest of an artifact says of the answers.
        scoring: Function to what runs the inferences when data are evaluated.
        write: What gives the text of each row, with `options`.
    """

    task: str
    input: GenerationInput[S, P]
    further: FurtherInferences[S, P]
    judge: Judge[S, P, E]
    one_answer: bool = True
    describe: Callable[[Fitted[S, P]], dict[str, Any]] = no_facts
    scoring: Callable[[Fitted[S, P], Run], Run] = as_predicted
    batch_size: int = 32
    needs_tokenizer: bool = True
    write: Writer = as_generated
    options: type[GenerationOptions] = GenerationOptions
    export_options: tuple[str, ...] = (*names_of(GenerationOptions), STREAM)

    @property
    def purposes(self) -> Mapping[str, str]:
        return self.further.purposes

    def run_to_evaluate(self, fitted: Fitted[S, P], run: Run) -> Run:
        return self.scoring(fitted, run)

    def learn(self, examples: E, settings: S) -> S:
        return settings

    def sizes(self, settings: S) -> dict[str, Any]:
        return {}

    def head(self, settings: S, preprocessor: P) -> GeneratedTextHead:
        return GeneratedTextHead(self.input.writer(preprocessor))

    def meanings(self, fitted: Fitted[S, P]) -> dict[str, str]:
        return {**TOKEN_SCORES, **self.further.meanings(fitted)}

    def facts(self, fitted: Fitted[S, P]) -> dict[str, Any]:
        return self.describe(fitted)

    def attention_options(
        self, fitted: Fitted[S, P], features: Features, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        return self.further.attention_options(fitted, features, options)

    def generation(self, fitted: Fitted[S, P], options: Mapping[str, Any]) -> Generation:
        """How texts are generated with some options."""
        length = self.input.max_new_tokens(fitted.settings)
        tokenizer = self.input.writer(fitted.preprocessor).tokenizer
        given = {name: x for name, x in options.items() if name not in (STREAM, REPLACE_UNKNOWN)}
        return Generation.of(given, self.task, length, tokenizer)

    # --- What the model computes ---

    def inferences(
        self,
        fitted: Fitted[S, P],
        head: GeneratedTextHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        how = self.generation(fitted, options)
        special = self.input.writer(fitted.preprocessor).tokenizer.special_tokens

        def compute(inputs: Tensors, max_new_tokens: int = how.length, **more: Any) -> Tensors:
            all_options = {**how.searching, **more}
            return generated(fitted.model, inputs, max_new_tokens, special, all_options)

        row, own = ("batch",), ("batch", None)
        outputs: OutputAxes = {"token_ids": own, "lengths": row, "scores": row}
        if how.beams > 1:
            outputs = {**outputs, "beam_ids": (*own, None), "beam_scores": own}
        best = memoized(compute)
        main = Inference(reader.features, reader.prepare, best, outputs)
        if how.samples:
            main = seeded(replace(main, compute=compute), **how.sampling)
        return {reader.name: main, **self.further.inferences(fitted, best)}

    def runner(
        self,
        fitted: Fitted[S, P],
        head: GeneratedTextHead,
        reader: Reader,
        programs: Programs,
        options: Mapping[str, Any],
    ) -> Run:
        how = self.generation(fitted, options)
        seed = how.options.get("seed")
        more = {name: x for name, x in how.options.items() if name != "seed"}
        special = self.input.writer(fitted.preprocessor).tokenizer.special_tokens

        def compute(inputs: Tensors, seeds: Any, length: int, **given: Any) -> Tensors:
            return generated(fitted.model, inputs, length, special, {**given, "seed": seeds})

        def generator() -> Program:
            whole = Inference(reader.features, reader.prepare, compute, {})
            return Program(whole, {SEEDS: TensorSpec(("batch", 2), "int32")})

        def other(name: str) -> Program:
            every = self.inferences(fitted, head, reader, {})
            return programs.kept(name, lambda: Program(every[name]))

        def run(signature: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
            if signature != reader.name:
                return other(signature)(features)
            self.input.check_length(fitted, self.input.length(fitted, features), how.length)
            seeds = ops.convert_to_numpy(row_seeds(seed, row_numbers(features)))
            program = programs.kept(GENERATOR, generator)
            return program({**features, SEEDS: seeds}, length=how.length, **more)

        return run

    # --- Artifacts ---

    def check_export(self, fitted: Fitted[S, P], options: Mapping[str, Any]) -> None:
        how = self.generation(fitted, options)
        if "seed" in how.options:
            raise UserError(
                "seed must not be given: an artifact that samples takes a seed for each text"
            )
        self.input.check_length(fitted, self.input.longest(fitted, options), how.length)

    def signatures(
        self,
        signatures: dict[str, Signature],
        fitted: Fitted[S, P],
        head: GeneratedTextHead,
        reader: Reader,
        form: TextForm | None,
        length: int | None,
        options: Mapping[str, Any],
    ) -> dict[str, Signature]:
        if not options.get(STREAM):
            return signatures
        given = {name: x for name, x in options.items() if name != STREAM}
        how = options_of(GenerationOptions, given, self.task)
        if how.beams > 1:
            raise UserError("stream must not be combined with beams: beam search is not streamed")
        new_tokens = how.max_new_tokens or self.input.max_new_tokens(fitted.settings)
        tokenizer = self.input.writer(fitted.preprocessor).tokenizer
        decoding = token_by_token(how, new_tokens, fitted.model, tokenizer)

        def write(outputs: Tensors) -> Tensors:
            return head.postprocess(outputs, {}, form) if form else outputs

        whole = signatures[SERVING_DEFAULT]
        reported = {TRUNCATED} & whole.meanings.keys()
        streamed = stream_signatures(whole, decoding, reader.prepare, write, reported, length)
        return {**signatures, **streamed}

    def calls(self, fitted: Fitted[S, P], calls: Calls, options: Mapping[str, Any]) -> Calls:
        calls = {**calls, SCORE: self.input.score_calls(fitted, calls)}
        if self.generation(fitted, options).samples:
            calls = calls_with_seeds(calls)
        return {**calls, **single_rows(calls)} if options.get(STREAM) else calls

    def predict(
        self,
        predictor: Predictor[Fitted[S, P], GeneratedTextHead],
        data: Any,
        batch_size: int,
        options: Mapping[str, Any],
    ) -> list[str]:
        return self.write(predictor, predictor.raw(data), batch_size)

    def judged(self, predictor: Predictor[Fitted[S, P], GeneratedTextHead], examples: E) -> Judged:
        return self.judge.judged(predictor, examples)


@dataclass(frozen=True)
class AgainstReferences(Generic[S, P, E]):
    """The texts that a model generates, and the probabilities that it gives to correct ones.

    Args:
        input: What the model reads.
        references: Function from examples to the correct texts.
        kind: The kind of answer in the registry of metrics: of captions, each row has several
            correct texts.
        write: What gives the text of each row.
    """

    input: SourceInput[S, P]
    references: Callable[[E], Sequence[Any]]
    kind: str = TEXTS
    write: Writer = as_generated

    def judged(self, predictor: Predictor[Fitted[S, P], GeneratedTextHead], examples: E) -> Judged:
        correct = self.references(examples)
        texts = correct if self.kind == CAPTIONS else [[text] for text in correct]

        def generated() -> TextRows:
            return TextRows(texts, self.write(predictor, examples.inputs, BATCH_SIZE))

        def given() -> TokenRows:
            return token_rows(self.input, predictor, examples.inputs, texts)

        return {self.kind: generated, TOKENS: given}
