"""What every task over an encoder-decoder of text has in common."""

from typing import Any

import keras

from zoo.attention_map import AttentionMap
from zoo.errors import UserError
from zoo.models.options import has_option
from zoo.notes import noting
from zoo.tasks.generating import GeneratingTask
from zoo.tasks.serving import maps_of
from zoo.text.codec import TextCodec
from zoo.text.tokenizer import Tokenizer


class Seq2SeqTask(GeneratingTask):
    """A task whose model is a `Seq2Seq`, over one vocabulary of sources and targets.

    A subclass sets `max_source_length`, the greatest number of source tokens.
    """

    max_source_length: int

    @property
    def codec(self) -> TextCodec:
        """Texts to padded source ids, and ids to texts."""
        starts = self.tokenizer.special_tokens.starts
        return TextCodec(self.tokenizer, self.max_source_length, starts)

    def _sizes(self, vocabulary_size: int) -> dict[str, Any]:
        if has_option(self.settings["model"], "vocabulary_size"):
            return {"vocabulary_size": vocabulary_size}
        return {
            "source_vocabulary_size": vocabulary_size,
            "target_vocabulary_size": vocabulary_size,
        }

    def _use(self, tokenizer: Tokenizer) -> None:
        super()._use(tokenizer)
        self._check_room(self.max_source_length, self.max_new_tokens)

    def _check_room(self, tokens: int, new_tokens: int) -> None:
        context = self.model.max_sequence_length
        if context is not None and self.model.positions_of(tokens, new_tokens) > context:
            raise UserError(
                f"sources of {tokens} tokens and targets of {new_tokens} are more than the "
                f"{context} positions of the model: set max_sequence_length"
            )

    def attention(self, text: str, max_new_tokens: int | None = None) -> list[AttentionMap]:
        """Where the model looked for each token it wrote, a map a layer that attends."""
        if not self.model.attends:
            return []
        with noting("attention"):
            source = self.codec.read([text])
        target = self.generate_ids(source, max_new_tokens)
        ids = keras.ops.convert_to_tensor(source)
        maps = maps_of(self.model, ids, target, self.tokenizer.special_tokens)
        sources, targets = self.codec.pieces(source[0]), self.codec.pieces(target[0])
        size = slice(len(targets)), slice(len(sources))
        return [
            AttentionMap(keras.ops.convert_to_numpy(weights)[0][:, *size], sources, targets, name)
            for name, weights in maps.items()
        ]
