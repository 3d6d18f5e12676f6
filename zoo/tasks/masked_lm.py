"""Masked language models: learn from plain text, and say what stands behind a mask."""

from typing import Any, NamedTuple, Unpack

import keras
import numpy as np
from keras import ops

from keras_attn.losses import MaskedLMLoss, NextSentenceLoss
from keras_attn.metrics.token import MaskedAccuracy, Perplexity
from zoo.data.documents import Documents, Texts, read_documents
from zoo.data.masked_batches import MaskedPairs
from zoo.data.masking import NOT_CHOSEN, Masking
from zoo.data.sentence_pairs import make_pairs, split_sentences
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.models.options import check_options
from zoo.notes import note, noting
from zoo.tasks.mask_serving import mask_signatures
from zoo.tasks.serving import text_probes
from zoo.tasks.task import Task
from zoo.text.codec import TextCodec
from zoo.text.masked import masked_word, spaced
from zoo.text.special_tokens import MASK, SpecialTokens
from zoo.text.tokenizer import Tokenizer
from zoo.text.wordpiece import WordPieceTokenizer
from zoo.training.history import History
from zoo.training.options import FitOptions

TOP = 5  # tokens that artifacts give for a mask
IMPOSSIBLE = -1e9


class Filling(NamedTuple):
    """A token for a mask: its piece, its probability, and the text with it."""

    token: str
    score: float
    text: str


class MaskedLM(Task):
    """Learns what stands behind masks, and which text follows another.

    Source: Devlin et al. 2019, section 3.1.

    Args:
        model: A model for masked-lm that `zoo.list_models` gives.
        preset: One of its presets.
        vocabulary_size: Number of pieces that the WordPiece tokenizer may learn.
        max_length: Tokens of a training pair, marks included, and the most that the model sees.
        whole_words: Whether all pieces of a word are chosen together.
        dtype: Precision of the model: None (float32), "mixed_bfloat16" or "mixed_float16".
        seed: Fixes the initial weights.
        **config: Options of the model, such as `dropout`; they win over the preset.

    Raises:
        UserError: If a name or an option is unknown; the message lists the choices.

    Example:
        >>> import zoo
        >>> task = zoo.MaskedLM("bert", "tiny", hidden_dim=16, intermediate_dim=16, max_length=16)
        >>> texts = ["to be or not to be. that is the question.", "to sleep. to dream."]
        >>> task.adapt(texts)
        >>> history = task.fit(texts, epochs=1, xla=False, verbose=False)
        >>> [len(choices) for choices in task.fill_mask("to [MASK] or not to [MASK]", top=3)]
        [3, 3]
    """

    name = "masked-lm"

    def __init__(
        self,
        model: str = "bert",
        preset: str = "tiny",
        *,
        vocabulary_size: int = 8000,
        max_length: int = 128,
        whole_words: bool = False,
        dtype: str | None = None,
        seed: int = 0,
        **config: Any,
    ) -> None:
        super().__init__(
            {
                "model": model,
                "preset": preset,
                "vocabulary_size": vocabulary_size,
                "max_length": max_length,
                "whole_words": whole_words,
                "dtype": dtype,
                "seed": seed,
                **config,
            }
        )
        self.max_length = max_length
        self._config = {"dtype": dtype, "max_sequence_length": max_length, **config}
        # A mistake shows now, not after a tokenizer's training.
        check_options(model, preset, self._config, self.name)

    # --- What it is made of ---

    @property
    def codec(self) -> TextCodec:
        """Texts, with masks as words of their own, to padded ids, and ids to texts."""
        return TextCodec(self.tokenizer, self.max_length, starts=True)

    @property
    def _specials(self) -> SpecialTokens:
        return self.tokenizer.special_tokens

    def adapt(self, data: Texts) -> None:
        """Learns the tokenizer, and creates the model, unless both came with a checkpoint.

        Args:
            data: A text file, a folder of .txt files, a .jsonl file, or a list of texts.
        """
        documents = read_documents(data)
        self.examples = [masked_word(text) for text in split_sentences(documents.texts[0])[:4]]
        if self.start is not None:
            return
        size = self.settings["vocabulary_size"]
        self._use(WordPieceTokenizer.train(documents.texts, size, always=[MASK]))

    def _use(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        keras.utils.set_random_seed(self.settings["seed"])
        self._model = create_model(
            self.settings["model"],
            self.settings["preset"],
            self.name,
            vocabulary_size=tokenizer.vocabulary_size,
            **self._config,
        )

    # --- Training ---

    def fit(
        self,
        data: Texts,
        validation_data: Texts | None = None,
        *,
        batch_size: int = 32,
        **options: Unpack[FitOptions],
    ) -> History:
        """Trains the model, and leaves it with its best weights.

        Args:
            data: A text file, a folder of .txt files, a .jsonl file, or a list of texts.
            validation_data: The same, to choose the best epoch by.
            batch_size: Pairs in a batch.
            **options: `zoo.training.options.FitOptions`. `seed` also fixes the pairs and the masks;
                the default of `learning_rate` is 5e-4.

        Outputs: The `History` of the run.
        """
        chosen = self._options(options)
        batches, documents = self._pairs(data, batch_size, chosen["seed"])
        notes: list[Any] = [documents, batches]
        held_out = None
        if validation_data is not None:
            held_out, documents = self._pairs(validation_data, batch_size, chosen["seed"])
            notes += [documents, held_out]
        return self._train(
            data,
            batches,
            held_out,
            chosen,
            {"batch_size": batch_size},
            loss={"mlm_logits": MaskedLMLoss(), "nsp_logits": NextSentenceLoss()},
            metrics={
                "mlm_logits": [MaskedAccuracy(NOT_CHOSEN, name="accuracy")],
                "nsp_logits": [keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
            },
            notes=notes,
        )

    def _learning_rate(self) -> float:
        return 5e-4

    def _pairs(self, data: Texts, batch_size: int, seed: int = 0) -> tuple[MaskedPairs, Documents]:
        """The batches of some documents, and the documents."""
        documents = read_documents(data)
        pairs = make_pairs(documents.texts, self.tokenizer, self.max_length, seed)
        continues = None
        if self.settings["whole_words"]:
            vocabulary = self.tokenizer.vocabulary
            continues = np.array([piece.startswith("##") for piece in vocabulary])
        masking = Masking(self._specials, self.tokenizer.vocabulary_size, continues)
        return MaskedPairs(pairs, masking, batch_size, seed), documents

    # --- Use ---

    def evaluate(self, data: Texts) -> dict[str, float]:
        """How well the model guesses: `loss` in nats a masked token, its `perplexity`, the share
        of masked tokens guessed, `accuracy`, and of pairs told, `nsp_accuracy`.

        Args:
            data: A text file, a folder of .txt files, a .jsonl file, or a list of texts.
        """
        batches, documents = self._pairs(data, batch_size=16)
        with noting(documents.path):
            note(documents.lost + batches.lost)
        perplexity, accuracy = Perplexity(NOT_CHOSEN), MaskedAccuracy(NOT_CHOSEN)
        told = keras.metrics.SparseCategoricalAccuracy()
        for x, labels in batches.dataset(shuffle=False):
            found = self._run(x)
            for metric in (perplexity, accuracy):
                metric.update_state(labels["mlm_logits"], found["mlm_logits"])
            told.update_state(labels["nsp_logits"], found["nsp_logits"])
        self.metrics = {
            "loss": float(np.log(perplexity.result())),
            "perplexity": float(perplexity.result()),
            "accuracy": float(accuracy.result()),
            "nsp_accuracy": float(told.result()),
        }
        return self.metrics

    def fillings(self, token_ids: Any, top: int = TOP) -> dict[str, Any]:
        """The most probable tokens at each mask, in float32; zeros where there is none.

        Args:
            token_ids: int32 ids (B, T), padded with 0.
            top: Number of tokens K.

        Outputs: `token_ids` (B, T, K), best first, and their `scores` (B, T, K).
        """
        inputs = self.model.inputs_for(token_ids, self._specials)
        logits = self._logits_of_pieces(self.model(inputs)["mlm_logits"])
        scores, best = ops.top_k(ops.softmax(logits, axis=-1), min(top, logits.shape[-1]))
        masks = ops.expand_dims(ops.equal(inputs["token_ids"], self._specials.mask), -1)
        return {
            "token_ids": ops.where(masks, ops.cast(best, "int32"), 0),
            "scores": ops.where(masks, scores, 0.0),
        }

    def _logits_of_pieces(self, logits: Any) -> Any:
        never = np.zeros(logits.shape[-1], "float32")
        never[list(self._specials.marks)] = IMPOSSIBLE
        return logits + never

    def fill_mask(self, text: str, top: int = TOP) -> list[list[Filling]]:
        """For each `[MASK]` of a text its most probable tokens, best first.

        With several masks, each is filled alone; the others stay.

        Args:
            text: A text with masks.
            top: Number of tokens.

        Raises:
            UserError: If there is no mask, or none in what the model can see.
        """
        with noting("fill_mask"):
            ids = self.codec.read([spaced(text)])
        places = np.flatnonzero(ids[0] == self._specials.mask)
        if not len(places):
            raise UserError(
                f"no {MASK} in the first {self.max_length} tokens of the text: nothing to fill"
            )
        found = self.fillings(ops.convert_to_tensor(ids), top)
        tokens, scores = (ops.convert_to_numpy(found[key])[0] for key in ("token_ids", "scores"))
        answer = []
        for place in places:
            filled = np.repeat(ids, len(tokens[place]), axis=0)
            filled[:, place] = tokens[place]
            texts = [each.decode() for each in self.codec.decode(filled).numpy()]
            pieces = [self.tokenizer.vocabulary[i] for i in tokens[place]]
            rows = zip(pieces, scores[place].tolist(), texts, strict=True)
            answer.append([Filling(*row) for row in rows])
        return answer

    def predict(self, texts: list[str], batch_size: int = 32) -> list[str]:
        """The texts, each mask filled by its most probable token.

        Args:
            texts: Texts with masks.
            batch_size: How many are worked on at once.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; received one text.")
        found: list[str] = []
        with noting("predict"):
            for start in range(0, len(texts), batch_size):
                ids = self.codec.read([spaced(text) for text in texts[start : start + batch_size]])
                best = self.fillings(ops.convert_to_tensor(ids), top=1)["token_ids"]
                ids = np.where(ids == self._specials.mask, ops.convert_to_numpy(best)[..., 0], ids)
                found += [text.decode(errors="replace") for text in self.codec.decode(ids).numpy()]
        return found

    # --- Artifacts ---

    def signatures(self, strings: bool, litert: bool = False) -> dict[str, dict[str, Any]]:
        """What an artifact offers; see `zoo.tasks.mask_serving`."""
        return mask_signatures(self, strings, litert)

    def probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with."""
        return text_probes(self, self.examples)
