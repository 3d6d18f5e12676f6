"""The training of encoder-decoders on pairs of texts."""

from dataclasses import dataclass

from zoo.data.batching.batch_size import default_batch_size
from zoo.data.batching.bucketed import BucketedBatches, tokens_per_batch
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.padded_columns import Sequences
from zoo.data.batching.resegmented import Resegmented, ResegmentedTokens
from zoo.data.batching.tokenized import Tokenized
from zoo.errors import UserError
from zoo.heads.generated_text import GeneratedTextHead
from zoo.option_names import option_name
from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.tasks.baselines.pairs import FittedPairs, PairBaselines
from zoo.tasks.formats.pairs import PairExamples, PairFormat
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.likelihood import token_objective
from zoo.tasks.options.text_to_text import STEPS, Settings, Training
from zoo.tasks.parts import Recipe
from zoo.training.objective import Objective


@dataclass(frozen=True)
class TextToTextRecipe(Recipe[FittedPairs, Training, PairExamples, GeneratedTextHead]):
    """Batches of pairs of similar length, and the rates of Vaswani et al. 2017.

    Args:
        format: The format of the data, which tokenizes.
        input: What the model reads.
    """

    format: PairFormat
    input: TextSourceInput[Settings, PairExamples]
    min_steps: int = STEPS
    stops_early: bool = True
    baselines = PairBaselines()

    def batches(
        self,
        examples: PairExamples,
        fitted: FittedPairs,
        head: GeneratedTextHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        def teacher_forced(columns: Features) -> tuple[Tensors, Tensors]:
            return self.input.teacher_forced(fitted, columns), columns["target_ids"]

        tokens = examples.tokenized(self.format.tokenization(fitted.settings, fitted.preprocessor))
        if training.bpe_dropout and not held_out:
            tokens = self._with_dropout(tokens, examples, fitted, training)
        total = max(column.used for column in tokens.columns.values())
        usual = default_batch_size(total, most=4096, least=512)
        return tokens.bucketed(
            teacher_forced,
            tokens_per_batch(training.batch_tokens or usual),
            max_buckets(held_out),
            training.seed,
            what="pairs",
        )

    def _with_dropout(
        self, tokens: Tokenized, examples: PairExamples, fitted: FittedPairs, training: Training
    ) -> ResegmentedTokens:
        """Pairs whose tokens are drawn anew in every epoch; see `BPEDropout`."""
        pairs = examples.readable
        if pairs is None:
            raise UserError(
                f"{option_name('bpe_dropout')} splits texts anew in every epoch, and "
                f"{examples.path} is prepared: train on the texts themselves"
            )
        reader = fitted.preprocessor
        sides = {
            "source_ids": (pairs.sources, reader),
            "target_ids": (pairs.targets, self.input.targets(fitted.settings, reader)),
        }
        columns = {}
        for number, (name, (texts, side)) in enumerate(sides.items()):
            plain, seed = tokens.columns[name], (training.seed, number)
            assert isinstance(plain, Sequences)
            columns[name] = Resegmented.of(texts, plain, side, training.bpe_dropout, seed)
        return ResegmentedTokens(columns, tokens.statistics)

    def objective(self, head: GeneratedTextHead, training: Training) -> Objective:
        pad = head.writer.tokenizer.special_tokens.pad
        return token_objective(pad, training.label_smoothing)

    def default_learning_rate(self, fitted: FittedPairs, pretrained: bool) -> float:
        rate: float = (4000 * fitted.model.hidden_dim) ** -0.5
        return rate

    def default_warmup(self, steps: int) -> int:
        return max(1, min(4000, steps // 5))
