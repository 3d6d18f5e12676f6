"""The declaration of a family of encoders: its configuration, tensors and tokenizer."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import keras

from zoo.errors import UserError
from zoo.models.bert import MODERN, Bert
from zoo.models.bert import OPTIONS as USUAL
from zoo.models.transformer_options import TransformerOptions
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.converter import check_tokenizer
from zoo.pretrained.tensor_map import TensorRow
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.question_answering import QuestionAnswering
from zoo.tasks.task import Task
from zoo.tasks.text_classifier import TextClassifier
from zoo.tasks.text_embedder import TextEmbedder
from zoo.tasks.token_tagger import TokenTagger
from zoo.text.tokenizer import Tokenizer

WORDS = "embeddings.word_embeddings.weight"
# Options of `Bert` -> keys of `config.json`, as of BERT and most of its relatives.
KEYS = {
    "num_layers": "num_hidden_layers",
    "hidden_dim": "hidden_size",
    "num_heads": "num_attention_heads",
    "intermediate_dim": "intermediate_size",
    "activation": "hidden_act",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "max_sequence_length": "max_position_embeddings",
    "num_segments": "type_vocab_size",
    "epsilon": "layer_norm_eps",
}
# The only supported values of keys of `config.json`, which are also the defaults of missing keys.
SUPPORTED = {
    "is_decoder": False,
    "add_cross_attention": False,
    "position_embedding_type": "absolute",
    "tie_word_embeddings": True,
}
# Options of `Bert` in which families differ, with the values that they have in most.
OPTIONS = {
    **vars(MODERN),
    "pooler_activation": "tanh",
    "relative_attention_num_buckets": None,
    "embedding_size": None,
}


@dataclass(frozen=True)
class BlockNames:
    """The names of the layers of a block; the defaults are those of BERT.

    Args:
        blocks: What the names of all blocks begin with, before their numbers.
        query: Projection of the queries.
        key: Projection of the keys.
        value: Projection of the values.
        output: Projection of the concatenated heads.
        attention_norm: Normalization after attention.
        expand: First layer of the feed-forward network.
        contract: Second layer of the feed-forward network.
        norm: Normalization after the feed-forward network.
    """

    blocks: str = "encoder.layer."
    query: str = "attention.self.query"
    key: str = "attention.self.key"
    value: str = "attention.self.value"
    output: str = "attention.output.dense"
    attention_norm: str = "attention.output.LayerNorm"
    expand: str = "intermediate.dense"
    contract: str = "output.dense"
    norm: str = "output.LayerNorm"


@dataclass(frozen=True)
class HeadNames:
    """The names of the layers of heads.

    Args:
        classifier: Output layer of a classifier of texts.
        masked_dense: Hidden layer of the masked LM head.
        masked_norm: Normalization of the masked LM head.
        masked_bias: Bias of the masked LM head.
        masked_output: Its matrix, which is a copy of the embeddings if it is there.
        pooler: The pooler of the encoder, or None without one.
        hidden: Hidden layer of a classifier of texts, which the zoo's models have as the pooler,
            or None if it is the pooler of the encoder.
        next_sentence: The next sentence head, or None without one.
        masked_activation: Activation of the masked LM head, or None for that of the encoder.
        tags: Output layer of a classifier of tokens.
        answers: Output layer for the ends of answers.
        hidden_of_tokens: Whether the two have the layer `hidden` before them, too.
    """

    classifier: str
    masked_dense: str
    masked_norm: str
    masked_bias: str
    masked_output: str
    pooler: str | None = "pooler.dense"
    hidden: str | None = None
    next_sentence: str | None = None
    masked_activation: str | None = None
    tags: str = "classifier"
    answers: str = "qa_outputs"
    hidden_of_tokens: bool = False


@dataclass(frozen=True)
class TokenizerFiles:
    """The files of a tokenizer, read and written.

    Args:
        kind: The class of the tokenizer.
        read: Function that reads the tokenizer of a checkpoint; the second argument is whether it
            lowercases texts even if its files do not say so.
        write: Function from a tokenizer and the number of positions to the contents of files.
        other: The files of another kind of tokenizer, which checkpoints may have instead.
        suits: Function that tells whether a checkpoint has such files rather than `other`.
    """

    kind: type[Tokenizer]
    read: Callable[[Checkpoint, bool], Tokenizer]
    write: Callable[[Any, int], dict[str, Any]]
    other: "TokenizerFiles | None" = None
    suits: Callable[[Checkpoint], bool] = lambda checkpoint: True

    def in_checkpoint(self, checkpoint: Checkpoint) -> "TokenizerFiles":
        """The files that a checkpoint has: these, or the others."""
        return self if self.other is None or self.suits(checkpoint) else self.other

    def of_tokenizer(self, tokenizer: Any) -> "TokenizerFiles":
        """The files of a tokenizer: these, unless it is of the other kind."""
        other = self.other
        return other if other is not None and isinstance(tokenizer, other.kind) else self


@dataclass(frozen=True)
class Layout:
    """How checkpoints are laid out that have other tensors and keys than BERT's relatives.

    Args:
        words: The tensor of the embeddings of tokens.
        encoder: Function from an encoder to the rows of its tensors.
        hidden: Function from the name and the layers (a dense layer, and a normalization) of a
            hidden layer of heads to the rows of its tensors.
        read_config: Function from a checkpoint to options of `Bert`.
        written_config: Function from an encoder to the contents of `config.json`.
    """

    words: str
    encoder: Callable[[Bert], Iterator[TensorRow]]
    hidden: Callable[[str, keras.Layer, keras.Layer], Iterator[TensorRow]]
    read_config: Callable[[Checkpoint], dict[str, Any]]
    written_config: Callable[[Bert], dict[str, Any]]


@dataclass(frozen=True)
class Family:
    """A family of encoders whose checkpoints become tasks with the model `bert`.

    Args:
        name: Its name in messages.
        model_type: Its name in `config.json`.
        stem: What the names of its classes in Hugging Face's library begin with.
        prefix: What the names of the encoder's tensors begin with in models with heads.
        heads: The names of the layers of heads.
        tokenizer: The files of its tokenizer.
        keys: Keys of `config.json` by option of `Bert`.
        options: Options of `Bert` that all its models have, in addition to `OPTIONS`.
        supported: The only supported values of further keys of `config.json`.
        block: The names of the layers of a block.
        pad: Default id of the padding token.
        headless: Further architectures, of which the encoder alone is read.
        relative_bias: The tensor of the biases of attention scores by distance, if there is one.
        positions_after_padding: Whether the first position is the one after the id of the padding
            token, as in fairseq.
        usual: The options that Transformer models share, as the models of the family have them.
        layout: The tensors and keys of its checkpoints, or None for those of BERT's relatives.
    """

    name: str
    model_type: str
    stem: str
    prefix: str
    heads: HeadNames
    tokenizer: TokenizerFiles
    keys: Mapping[str, str] = field(default_factory=lambda: KEYS)
    options: Mapping[str, Any] = field(default_factory=dict)
    supported: Mapping[str, Any] = field(default_factory=dict)
    block: BlockNames = BlockNames()
    pad: int = 0
    headless: tuple[str, ...] = ()
    relative_bias: str | None = None
    positions_after_padding: bool = False
    usual: TransformerOptions = USUAL
    layout: Layout | None = None

    @property
    def words(self) -> str:
        """The tensor of the embeddings of tokens."""
        return WORDS if self.layout is None else self.layout.words

    @property
    def headed_by_hidden(self) -> tuple[str, ...]:
        """The architectures whose heads have the layer `hidden`."""
        if self.heads.hidden is None:
            return ()
        tokens = (self.tagging, self.answering) if self.heads.hidden_of_tokens else ()
        return (self.headed, *tokens)

    @property
    def a_checkpoint(self) -> str:
        """What a checkpoint of the family is called in messages."""
        return f"{'an' if self.name[0] in 'EMX' else 'a'} {self.name} checkpoint"

    @property
    def encoder(self) -> str:
        """The architecture without a head."""
        return f"{self.stem}Model"

    @property
    def masked(self) -> str:
        """The architecture that predicts masked tokens, and all that its training predicts."""
        return f"{self.stem}For{'PreTraining' if self.heads.next_sentence else 'MaskedLM'}"

    @property
    def headed(self) -> str:
        """The architecture that classifies texts, or gives values for them."""
        return f"{self.stem}ForSequenceClassification"

    @property
    def tagging(self) -> str:
        """The architecture that classifies tokens."""
        return f"{self.stem}ForTokenClassification"

    @property
    def answering(self) -> str:
        """The architecture that finds answers."""
        return f"{self.stem}ForQuestionAnswering"

    @property
    def architectures(self) -> dict[str, str]:
        """The default task of each architecture."""
        return {
            **dict.fromkeys(self.headless, TextEmbedder.name),
            self.encoder: TextEmbedder.name,
            self.masked: MaskedLM.name,
            f"{self.stem}ForMaskedLM": MaskedLM.name,
            self.headed: TextClassifier.name,
            self.tagging: TokenTagger.name,
            self.answering: QuestionAnswering.name,
        }

    def prefix_in(self, checkpoint: Checkpoint) -> str:
        """What the names of the encoder's tensors begin with in a checkpoint."""
        return self.prefix if self.prefix + self.words in checkpoint else ""

    def unused_positions(self, pad: int) -> int:
        """The number of position embeddings before that of the first token."""
        return pad + 1 if self.positions_after_padding else 0

    def different(self, config: Mapping[str, Any]) -> str | None:
        """The first option of a `Bert` that the models of the family have another value of."""
        required = self._required
        return next((name for name in required if config[name] != required[name]), None)

    @property
    def _required(self) -> dict[str, Any]:
        """The values of options that all models of the family have."""
        usual = {name: value for name, value in OPTIONS.items() if name not in self.keys}
        return usual | dict(self.options)

    def fits(self, task: Task) -> bool:
        """Whether a task has the options and the tokenizer of the family.

        With the tokenizer of another family, it must have more than one segment, as the models of
        that family, which RoBERTa's are, do not.
        """
        config, files = task.model.backbone.get_config(), self.files_of(task)
        own = files is self.tokenizer or (config["num_segments"] or 0) > 1
        return self.different(config) is None and own and isinstance(task.tokenizer, files.kind)

    def check_tokenizer(self, task: Task) -> Tokenizer:
        """The tokenizer of a task, which must be one of the family.

        Raises:
            UserError: If it is another.
        """
        return check_tokenizer(task.tokenizer, self.files_of(task).kind, self.name)

    def files_of(self, task: Task) -> TokenizerFiles:
        """The files of the tokenizer of a task."""
        return self.tokenizer.of_tokenizer(task.tokenizer)

    def check_options(self, config: Mapping[str, Any]) -> None:
        """Refuses a `Bert` with options that the models of the family do not have.

        Raises:
            UserError: If there is such an option.
        """
        if (name := self.different(config)) is not None:
            raise UserError(
                f"{self.a_checkpoint} requires {name}={self._required[name]!r}, got "
                f"{config[name]!r}"
            )
        if "num_segments" in self.keys and not config["num_segments"]:
            raise UserError(f"{self.a_checkpoint} requires num_segments of at least 1, got 0")
        if config["exact_match"]:
            raise UserError(f"{self.a_checkpoint} has no exact_match: train with exact_match=false")
