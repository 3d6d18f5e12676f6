"""What every task that writes text has in common: ids to ids, and texts to texts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_attn.metrics.token import MaskedAccuracy, Perplexity
from zoo.decoding.beam import EarlyStopping
from zoo.decoding.logits_processors import Words
from zoo.decoding.protocol import Generated
from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.notes import noting
from zoo.tasks.compiled import Generator
from zoo.tasks.serving import text_probes, text_signatures
from zoo.tasks.task import Task, adapted
from zoo.text.tokenizer import Tokenizer
from zoo.training.token_count import TokenCount

BadWords = Sequence[str] | Sequence[Sequence[int]]


class Candidate(NamedTuple):
    """One of the outputs that a search has found.

    `score` is the sum of the log-probabilities of its tokens, in nats, for beam search divided by
    the length penalty.
    """

    text: str
    score: float


class GeneratingTask(Task):
    """A task whose model is a `Decoder`.

    A subclass has a `codec`, which makes ids of texts and texts of ids, names the sizes of its
    vocabulary in `_sizes`, and sets `max_new_tokens`, how much is written where nothing else is
    asked for.
    """

    max_new_tokens: int
    _config: dict[str, Any]
    _generator: Generator | None = None

    @property
    def codec(self) -> Any:
        """Texts to padded ids, and ids to texts."""
        raise NotImplementedError

    def _codec_for(self, max_new_tokens: int) -> Any:
        """The codec that leaves room for so many new tokens, where that matters."""
        return self.codec

    def _sizes(self, vocabulary_size: int) -> dict[str, Any]:
        """What the model must know of the vocabulary."""
        raise NotImplementedError

    def _use(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        keras.utils.set_random_seed(self.settings["seed"])
        self._model = create_model(
            self.settings["model"],
            self.settings["preset"],
            self.name,
            **self._sizes(tokenizer.vocabulary_size),
            **self._config,
        )
        self._generator = Generator(self._model, tokenizer.special_tokens)

    def generate_ids(
        self,
        token_ids: Any,
        max_new_tokens: int | None = None,
        beams: int = 1,
        length_penalty: float = 1.0,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int | None = None,
        early_stopping: EarlyStopping = False,
        no_repeat_ngram: int = 0,
        min_new_tokens: int = 0,
        bad_words: BadWords = (),
    ) -> np.ndarray:
        """Source ids or prompts (B, S) to the ids (B, L) of the best output.

        Both are padded with `task.tokenizer.special_tokens.pad`, which is 0 or, of a checkpoint,
        its own; -1 if it has none, as GPT-2.

        Args:
            token_ids: int32 ids (B, S); sources end in the end token.
            max_new_tokens: Greatest number of tokens L; default that of the task.
            beams: Width of the beam search; 1 is greedy.
            length_penalty: Exponent of the length that beam search divides scores by.
            temperature: 0 takes the most probable tokens; above, tokens are drawn.
            top_k: Draw from so many most probable tokens; 0 from all.
            top_p: Draw from the fewest tokens that hold this share of the probability.
            seed: Fixes what is drawn, each row by itself.
            early_stopping: Beam search takes the first outputs that end; "never": it goes on until
                no better output can follow.
            no_repeat_ngram: No run of so many tokens comes twice; 0 lets them.
            min_new_tokens: So many new tokens come before the end token.
            bad_words: What never stands in an output: texts, at the beginning of words, or ids.

        Raises:
            UserError: If that is more than the model can see.
        """
        found = self._search(
            token_ids,
            max_new_tokens=max_new_tokens,
            beams=beams,
            length_penalty=length_penalty,
            early_stopping=early_stopping,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            seed=seed,
            no_repeat_ngram=no_repeat_ngram,
            min_new_tokens=min_new_tokens,
            bad_words=bad_words,
        )
        return found.token_ids[:, 0]

    def _search(
        self,
        token_ids: Any,
        max_new_tokens: int | None = None,
        bad_words: BadWords = (),
        **generation: Any,
    ) -> Generated:
        generator = adapted(self._generator)
        length = self.max_new_tokens if max_new_tokens is None else max_new_tokens
        written = np.not_equal(token_ids, self.tokenizer.special_tokens.pad)
        self._check_room(int(written.sum(axis=1).max(initial=0)), length)
        return generator(
            token_ids, max_new_tokens=length, bad_words=self._as_ids(bad_words), **generation
        )

    def _as_ids(self, words: BadWords) -> Words:
        """Words as ids; a text is one thing behind a space and another at the beginning."""
        found: dict[tuple[int, ...], None] = {}
        for word in words:
            if not isinstance(word, str):
                found[tuple(map(int, word))] = None
                continue
            pieces = self.tokenizer.tokenize([word, " " + word]).to_list()
            if not pieces[0]:
                raise UserError(f"bad_words has {word!r}, which has no token")
            found |= dict.fromkeys(map(tuple, pieces))
        return tuple(found)

    def _check_room(self, tokens: int, new_tokens: int) -> None:
        """Refuses more than the model can see, where there is an end to it."""

    def predict(self, texts: Sequence[str], batch_size: int = 32, **generation: Any) -> list[str]:
        """What the model writes for each text.

        Args:
            texts: The sources, or what to go on from.
            batch_size: How many are worked on at once, those of like length together.
            **generation: As for `generate_ids`. What a seed draws for a text depends on its place
                among them, not on the batches.
        """
        found = self._written(texts, batch_size, 1, generation)
        return [each[0].text if each else "" for each in found]

    def candidates(
        self, texts: Sequence[str], beams: int = 4, batch_size: int = 32, **generation: Any
    ) -> list[list[Candidate]]:
        """The outputs of a beam search for each text, best first.

        Args:
            texts: The sources, or what to go on from.
            beams: How many outputs, and the width of the search.
            batch_size: How many texts are worked on at once, those of like length together.
            **generation: As for `generate_ids`.

        Outputs: Lists of `beams` candidates; of fewer, where no more outputs are possible.
        """
        return self._written(texts, batch_size, beams, {"beams": beams, **generation})

    def _written(
        self, texts: Sequence[str], batch_size: int, count: int, generation: dict[str, Any]
    ) -> list[list[Candidate]]:
        """The best outputs for each text, `count` at most."""
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts; received one text.")
        found: list[list[Candidate]] = [[] for _ in texts]
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        length = generation.get("max_new_tokens")
        codec = self._codec_for(self.max_new_tokens if length is None else length)
        with noting("predict"):
            for start in range(0, len(texts), batch_size):
                rows = order[start : start + batch_size]
                ids = codec.read([texts[i] for i in rows])
                outputs = self._search(ids, rows=rows, **generation)
                for rank in range(count):
                    written = codec.decode(outputs.token_ids[:, rank]).numpy()
                    for place, (row, text) in enumerate(zip(rows, written, strict=True)):
                        if outputs.lengths[place, rank]:
                            score = float(outputs.scores[place, rank])
                            found[row].append(Candidate(text.decode(errors="replace"), score))
        return found

    # --- Artifacts ---

    def signatures(self, strings: bool, **options: Any) -> dict[str, dict[str, Any]]:
        """What an artifact offers; see `zoo.tasks.serving`."""
        new_tokens = options.get("max_new_tokens")
        self._check_room(
            self.codec.limit, self.max_new_tokens if new_tokens is None else new_tokens
        )
        options["bad_words"] = self._as_ids(options.get("bad_words", ()))
        return text_signatures(self, strings, **options)

    def probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        """Inputs to verify an artifact with."""
        return text_probes(self, self.examples)


def token_metrics(pad: int) -> list[keras.metrics.Metric]:
    """What training shows of the tokens it foretells, padding left out."""
    return [Perplexity(pad), MaskedAccuracy(pad), TokenCount(pad)]
