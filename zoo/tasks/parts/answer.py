"""The answer of a task: what a model predicts, and how that is scored."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic

from zoo.data.batching.batches import Batches
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.options import NoOptions, Options
from zoo.preprocessing.base import Features
from zoo.serving.inference import Inference, Program, Run
from zoo.serving.programs import Programs
from zoo.serving.signatures import Signature
from zoo.tasks.calls import Calls
from zoo.tasks.cells import PREDICTION, Cells, Scored
from zoo.tasks.measurement import Mean
from zoo.tasks.measuring import Judged, JudgedTasks
from zoo.tasks.parts.fitted import Fitted
from zoo.tasks.parts.kinds import E, H, P, S
from zoo.tasks.parts.predictor import Predictor
from zoo.tasks.parts.preview import PreviewRow
from zoo.text.form import TextForm
from zoo.training.calibration import Tuned
from zoo.training.score_scaling import ScoreScaling

BATCH_SIZE = 64


class Answer(Generic[S, P, E, H]):
    """The kind of answer of a model: learns what it depends on, and makes the head."""

    caveats: tuple[str, ...] = ()  # sentences of the model card
    one_answer: bool = True  # whether a prediction equals the reference or is wrong
    marks_differences: bool = True  # whether a report marks where a prediction differs
    needs_tokenizer: bool = False  # to make answers of what an artifact returns
    fills_batches: bool = False  # whether tables are answered in larger batches of short texts
    independent: bool = True  # whether the data can be cut into parts at random
    forecasts: bool = False  # whether predictions are of next steps, a table of their own
    batch_size: int = BATCH_SIZE  # of `predict` by default
    options: type[Options] = NoOptions  # of `predict` and `evaluate`
    export_options: tuple[str, ...] = ()  # those that an artifact may fix

    @property
    def more_rows(self) -> str:
        """What to do if a single row is too few to compare models on."""
        return "give more rows"

    @property
    def purposes(self) -> Mapping[str, str]:
        """What the further signatures do, in one sentence each, by name."""
        return {}

    def check(self, settings: S) -> None:
        """Raises a `UserError` if settings contradict each other."""

    def is_judged(self, settings: S) -> bool:
        """Whether a report judges each prediction: it equals the reference or is wrong."""
        return self.one_answer

    def learn(self, examples: E, settings: S) -> S:
        """The settings with what the answers depend on, such as the labels."""
        raise NotImplementedError

    def sizes(self, settings: S) -> dict[str, Any]:
        """Arguments of the model that depend on its answers, such as the number of classes."""
        raise NotImplementedError

    def head(self, settings: S, preprocessor: P) -> H:
        """The head."""
        raise NotImplementedError

    def scaled(self, head: H, scaling: ScoreScaling) -> H:
        """The head with the scores of a trained model, if it has scores."""
        return head

    def prior(self, examples: E, settings: S) -> tuple[float, ...]:
        """The share of each label in the training data, if inputs may be unknown; or nothing."""
        return ()

    def calibration(self, fitted: Fitted[S, P], held_out: Batches) -> Tuned | None:
        """What fits scores to validation data, such as a temperature, if there are scores."""
        return None

    def inferences(
        self, fitted: Fitted[S, P], head: H, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        """The inferences of the model, by name of the signature.

        Args:
            fitted: The settings, the preprocessor and the model.
            head: The head.
            reader: How the model reads features.
            options: Some of `options`, by name.
        """
        raise NotImplementedError

    def meanings(self, fitted: Fitted[S, P]) -> dict[str, str]:
        """What each output is that neither the head nor the input describes, by name."""
        return {}

    def facts(self, fitted: Fitted[S, P]) -> dict[str, Any]:
        """What the manifest of an artifact says of its answers."""
        return {}

    def runner(
        self,
        fitted: Fitted[S, P],
        head: H,
        reader: Reader,
        programs: Programs,
        options: Mapping[str, Any],
    ) -> Run:
        """A function that runs the inferences of the model by name.

        Args:
            fitted: The settings, the preprocessor and the model.
            head: The head.
            reader: How the model reads features.
            programs: The programs that were compiled before, to which new ones are added.
            options: Some of `options`, by name.
        """
        inferences = self.inferences(fitted, head, reader, options)
        kept = Programs() if options.keys() & {*self.export_options} else programs
        return lambda name, features: kept.kept(name, lambda: Program(inferences[name]))(features)

    def run_to_evaluate(self, fitted: Fitted[S, P], run: Run) -> Run:
        """The function that runs the inferences when data are evaluated; that of `predict`."""
        return run

    def attention_options(
        self, fitted: Fitted[S, P], features: Features, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The options of the program that shows attention.

        Args:
            fitted: The settings, the preprocessor and the model.
            features: The features of one input.
            options: The options of `attention`, by name.

        Raises:
            UserError: If it has no such options.
        """
        for option in options:
            raise UserError(f"attention has no option {option!r} here")
        return {}

    def check_export(self, fitted: Fitted[S, P], options: Mapping[str, Any]) -> None:
        """Raises a `UserError` if an artifact cannot have these options."""

    def signatures(
        self,
        signatures: dict[str, Signature],
        fitted: Fitted[S, P],
        head: H,
        reader: Reader,
        form: TextForm | None,
        length: int | None,
        options: Mapping[str, Any],
    ) -> dict[str, Signature]:
        """The signatures of an artifact, with those that only this kind of answer has.

        Args:
            signatures: The signatures of the inferences.
            fitted: The settings, the preprocessor and the model.
            head: The head.
            reader: How the model reads features.
            form: The form of texts; None if the artifact takes features.
            length: Maximum number of tokens of a text in bytes, or None.
            options: Some of `export_options`, by name.
        """
        return signatures

    def calls(self, fitted: Fitted[S, P], calls: Calls, options: Mapping[str, Any]) -> Calls:
        """The calls of the signatures, with those of the signatures that only this answer has."""
        return calls

    def check_exportable(self, settings: S) -> None:
        """Raises a `UserError` if an artifact cannot give the answers."""

    def predict(
        self,
        predictor: Predictor[Fitted[S, P], H],
        data: Any,
        batch_size: int,
        options: Mapping[str, Any],
    ) -> Any:
        """Predicts an answer for each row.

        Args:
            predictor: Computes answers for raw inputs.
            data: The argument of `predict`.
            batch_size: Batch size.
            options: Some of `options`, by name.
        """
        return predictor.results(predictor.raw(data), batch_size)

    def cells(
        self,
        predictor: Predictor[Fitted[S, P], H],
        data: Any,
        batch_size: int,
        options: Mapping[str, Any],
    ) -> list[Cells]:
        """The answer for each row as cells of a table; see `predict`."""
        results = self.predict(predictor, data, batch_size, options)
        return [self.cells_of(result, predictor.head) for result in results]

    def cells_of(self, result: Any, head: H) -> Cells:
        """One answer as cells of a table."""
        return {PREDICTION: head.text(result)}

    def with_scores(
        self,
        predictor: Predictor[Fitted[S, P], H],
        data: Any,
        batch_size: int,
        options: Mapping[str, Any],
    ) -> list[Scored]:
        """The answer for each row, with its scores if there are any; see `predict`."""
        results = self.predict(predictor, data, batch_size, options)
        return [{PREDICTION: result} for result in results]

    def preview(
        self, predictor: Predictor[Fitted[S, P], H], examples: E, count: int
    ) -> list[PreviewRow]:
        """The first rows with their predictions and references, as text, for a report."""
        shown = predictor.input.first_rows(examples, count)
        results = self.predict(predictor, [row.data for row in shown], BATCH_SIZE, {})
        return [
            PreviewRow(
                row.name,
                predictor.head.text(result),
                self.reference_text(row.reference, predictor.head),
                row.data,
            )
            for row, result in zip(shown, results, strict=True)
        ]

    def reference_text(self, reference: Any, head: H) -> str | None:
        """A correct answer as text, for a report; None if it is unknown."""
        text: str | None = reference
        return text

    def to_score(self, examples: E, settings: S, options: Mapping[str, Any]) -> E:
        """The examples as `score` takes them.

        Args:
            examples: The examples.
            settings: The settings of the task.
            options: Some of `options`, by name.
        """
        return examples

    def unseen(self, examples: E, held_out: E, settings: S, options: Mapping[str, Any]) -> E | None:
        """What to score of training data that no model learned from; None if that is not known.

        Args:
            examples: The training data, as it is read to evaluate.
            held_out: The part of it that was held out.
            settings: The settings of the task.
            options: Options of the answer, by name.
        """
        return held_out

    def extent(self, examples: E, settings: S, preprocessor: P) -> str:
        """What of the examples is scored, in words; empty if that is each row.

        Args:
            examples: The examples, as `to_score` returns them.
            settings: The settings of the task.
            preprocessor: The preprocessor.
        """
        return ""

    def aims(self, settings: S) -> Mapping[str, float]:
        """The best values of the metrics that should be neither low nor high, by name."""
        return {}

    def judged(self, predictor: Predictor[Fitted[S, P], H], examples: E) -> Judged:
        """Answers beside the correct ones, for the metrics of the registry; the main kind first.

        Args:
            predictor: Computes answers.
            examples: The examples, as `to_score` returns them.

        Raises:
            UserError: If the examples have answers that the model cannot give.
        """
        raise NotImplementedError

    def judged_tasks(self, predictor: Predictor[Fitted[S, P], H], examples: E) -> JudgedTasks:
        """What `judged` returns for each of several tasks, by name; of a single task by ""."""
        return {"": self.judged(predictor, examples)}

    def mean(self, settings: S, names: Sequence[str]) -> Mean | None:
        """The metric that is the mean of those of several tasks, if there is one.

        Args:
            settings: The settings of the task.
            names: The names of the tasks that are measured.
        """
        return None
