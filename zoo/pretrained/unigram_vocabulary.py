"""The `tokenizer.json` of unigram tokenizers with SentencePiece's normalization, read."""

from dataclasses import dataclass
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.vocabulary import pieces_by_id, refuse_added_tokens
from zoo.text.unigram import SPACE

FILE = "tokenizer.json"
SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
SPLIT = {"type": "WhitespaceSplit"}
_WORDS = (
    "expected Precompiled, then WhitespaceSplit and Metaspace; or Precompiled and a Replace of "
    "several spaces by one, then Metaspace"
)


@dataclass(frozen=True)
class UnigramVocabulary:
    """What a `tokenizer.json` has.

    Args:
        pieces: The tokens in the order of their ids, one for each row of the embedding.
        scores: The score of each token; None of those that are in no text.
        unknown: Id of the unknown token.
        charsmap: The map of the normalization, in base64, or nothing.
        only_spaces: Whether spaces alone separate words.
        around: The tokens before a text, behind it, and between the texts of a pair.
    """

    pieces: list[str]
    scores: list[float | None]
    unknown: int
    charsmap: str
    only_spaces: bool
    around: tuple[list[str], list[str], list[str]] | None

    def id_of(self, name: str) -> int:
        """The id of a token.

        Raises:
            UserError: If there is no such token.
        """
        if name not in self.pieces:
            raise UserError(f"the vocabulary lacks the token {name!r:.80}")
        return self.pieces.index(name)


def read_unigram(checkpoint: Checkpoint) -> UnigramVocabulary:
    """Reads the tokenizer of a checkpoint.

    Raises:
        UserError: If there is no `tokenizer.json`, or it has another tokenizer, or more tokens than
            the embedding has rows.
    """
    if not checkpoint.file(FILE).exists():
        raise UserError(
            f"{checkpoint.folder} has no {FILE}; a SentencePiece model alone is not supported: "
            "write the file with AutoTokenizer.from_pretrained(...).save_pretrained(...) of "
            "Hugging Face's transformers"
        )
    whole = checkpoint.json(FILE)
    try:
        return _vocabulary(checkpoint, whole)
    except UserError as error:
        raise UserError(f"{checkpoint.folder / FILE}: {error}") from None


def _vocabulary(checkpoint: Checkpoint, whole: dict[str, Any]) -> UnigramVocabulary:
    model = whole.get("model") or {}
    # Old files have no type; only a unigram model has an unknown id.
    kind = model.get("type") or ("Unigram" if "unk_id" in model else None)
    if kind != "Unigram":
        raise UserError(f"the model is {kind}, expected Unigram")
    if model.get("byte_fallback"):
        raise UserError("byte_fallback is not supported")
    charsmap, only_spaces = _normalization(whole)
    scored = {piece: float(score) for piece, score in model["vocab"]}
    ids = {piece: number for number, (piece, _) in enumerate(model["vocab"])}
    if len(ids) != len(model["vocab"]):
        raise UserError("the vocabulary has a token twice")
    unknown = model.get("unk_id")
    if type(unknown) is not int or not 0 <= unknown < len(ids):
        raise UserError(f"unk_id must be an id of its {len(ids)} tokens, got {unknown!r:.40}")
    base, special = [*ids], set()
    for each in whole.get("added_tokens") or []:
        piece, number = each["content"], each["id"]
        if ids.setdefault(piece, number) != number:
            raise UserError(f"the added token {piece!r:.80} has the id {number}, not {ids[piece]}")
        special |= {number} if each["special"] else set()
    refuse_added_tokens(checkpoint, base, special={ids[piece] for piece in base})
    pieces = pieces_by_id(checkpoint, ids)
    scores = [None if i in special else scored.get(each) for i, each in enumerate(pieces)]
    around = _around(whole.get("post_processor") or {}, ids)
    return UnigramVocabulary(pieces, scores, unknown, charsmap, only_spaces, around)


def _normalization(whole: dict[str, Any]) -> tuple[str, bool]:
    """The map of the normalization, and whether spaces alone separate words."""
    steps = _parts(whole.get("normalizer"), "normalizers")
    charsmap = ""
    if steps and steps[0].get("type") == "Precompiled":
        charsmap, steps = steps[0]["precompiled_charsmap"], steps[1:]
        if not isinstance(charsmap, str):
            raise UserError("precompiled_charsmap must be a text")
    splits = _parts(whole.get("pre_tokenizer"), "pretokenizers")
    only_spaces = steps == [SPACES]
    before = [] if only_spaces else [SPLIT]
    if (steps and not only_spaces) or splits[:-1] != before or not _is_metaspace(splits[-1:]):
        types = ", ".join(str(each.get("type")) for each in [*steps, *splits])
        raise UserError(f"the steps {types} are not supported; {_WORDS}")
    return charsmap, only_spaces


def _parts(step: dict[str, Any] | None, key: str) -> list[dict[str, Any]]:
    """The steps of a sequence, or the only one, or none."""
    if not step:
        return []
    return list(step[key]) if step.get("type") == "Sequence" else [step]


def _is_metaspace(steps: list[dict[str, Any]]) -> bool:
    """Whether a step puts "▁" before each word."""
    if len(steps) != 1 or steps[0].get("type") != "Metaspace":
        return False
    step = steps[0]
    usual = {"replacement": SPACE, "split": True, "add_prefix_space": True}
    usual["prepend_scheme"] = "always"
    return all(step.get(key, value) == value for key, value in usual.items())


def _around(
    frame: dict[str, Any], ids: dict[str, int]
) -> tuple[list[str], list[str], list[str]] | None:
    """The special tokens before a text, behind it and between two; None if nothing says it."""
    if not frame:
        return None
    if frame.get("type") != "TemplateProcessing":
        raise UserError(
            f"special tokens are added with {frame.get('type')}, which is not supported"
        )
    single, pair = (
        [each["SpecialToken"]["id"] if "SpecialToken" in each else "" for each in frame[name]]
        for name in ("single", "pair")
    )
    for name, token in frame["special_tokens"].items():
        if token["ids"] != [ids.get(name)]:
            raise UserError(f"the post-processor has other ids for {name!r:.80}")
    (first,), texts = _places(single), _places(pair)
    before, behind = single[:first], single[first + 1 :]
    if len(texts) != 2 or pair[: texts[0]] != before or pair[texts[1] + 1 :] != behind:
        raise UserError("the post-processor frames pairs in another way than texts")
    return before, behind, pair[texts[0] + 1 : texts[1]]


def _places(names: list[str]) -> list[int]:
    """The places of texts among special tokens."""
    return [place for place, name in enumerate(names) if not name]
