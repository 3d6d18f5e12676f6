"""Small checkpoints of encoders, with the configurations and names that Hugging Face's have.

`tests/references/encoders.json` has what Hugging Face's library wrote: the configuration of each
architecture, and the names and shapes of its tensors.
"""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.zoo.pretrained import tiny_bert, tiny_unigram
from tests.zoo.pretrained.tensor_files import save

REFERENCES = Path(__file__).parents[2] / "references"
WIDTH, HEADS, HIDDEN, LAYERS, POSITIONS, ROWS = 12, 3, 19, 2, 23, 31
LABELS = tiny_bert.LABELS
# Architectures of Hugging Face's library, by the task that their checkpoints become.
ENDS = {
    "text-embedder": "Model",
    "masked-lm": "ForMaskedLM",
    "text-classifier": "ForSequenceClassification",
    "token-tagger": "ForTokenClassification",
    "question-answering": "ForQuestionAnswering",
}


@dataclass(frozen=True)
class Tiny:
    """The checkpoints of a family.

    Args:
        stem: What the names of its classes begin with.
        config: Arguments of its configuration in Hugging Face's library.
        special: Ids of the start token, the end token and the padding.
        write_tokenizer: Function that writes the files of the tokenizer to a folder.
        segments: Whether its models tell the texts of a pair apart.
        activation: The key of the activation of the blocks.
    """

    stem: str
    config: dict[str, Any]
    special: tuple[int, int, int]
    write_tokenizer: Callable[[Path], None]
    segments: bool = True
    activation: str = "hidden_act"

    @property
    def ids(self) -> np.ndarray:
        """Two rows of ids, of which the second is padded."""
        start, end, pad = self.special
        rows = [[start, 6, 7, 8, 9, end, 10, 16, end], [start, 11, 5, end, *[pad] * 5]]
        return np.array(rows)

    @property
    def segment_ids(self) -> np.ndarray:
        """The segments of `ids`."""
        segments = np.zeros_like(self.ids)
        segments[0, 6:] = self.segments
        return segments


def write_vocabulary(folder: Path) -> None:
    """Writes BERT's vocabulary."""
    (folder / "vocab.txt").write_text("\n".join(tiny_bert.VOCABULARY) + "\n", "utf-8")


def byte_bpe() -> tuple[list[str], list[str]]:
    """RoBERTa's special tokens, all bytes and a few merges, with the mask as the last token."""
    from tokenizers import pre_tokenizers

    merges = ["h a", "Ġ a", "Ġ r", "e d", "Ġr ed", "Ġ m", "a n", "Ġm an", "ha t", "Ġ hat", "d o"]
    merges += ["do g", "Ġ dog", "Ġ i", "Ġi n", "A n", "s ."]
    pieces = [each.replace(" ", "") for each in merges]
    bytes_ = sorted(pre_tokenizers.ByteLevel.alphabet())
    return ["<s>", "<pad>", "</s>", "<unk>", *bytes_, *pieces, "<mask>"], merges


def write_byte_bpe(folder: Path) -> None:
    """Writes RoBERTa's files of a byte-level BPE tokenizer."""
    vocabulary, merges = byte_bpe()
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    (folder / "vocab.json").write_text(json.dumps(ids), "utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), "utf-8")


def their_byte_bpe(prefix_space: bool = False, strips: bool = True) -> Any:
    """The tokenizer of `write_byte_bpe` in Hugging Face's library `tokenizers`."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

    vocabulary, merges = byte_bpe()
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.BPE(ids, [tuple(each.split(" ")) for each in merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=prefix_space
    )
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=strips, normalized=False)])
    return tokenizer


# MPNet's special tokens in the place of BERT's.
OF_MPNET = {"[PAD]": "<s>", "[unused0]": "<pad>", "[CLS]": "</s>", "[SEP]": "<unk>"}
OF_MPNET |= {"[MASK]": "<mask>"}


def write_mpnet(folder: Path) -> None:
    """Writes the vocabulary of MPNet, which has BERT's words."""
    order = ["[PAD]", "[unused0]", "[CLS]", "[SEP]", "[UNK]", *tiny_bert.VOCABULARY[6:], "[MASK]"]
    pieces = [OF_MPNET.get(piece, piece) for piece in order]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", "utf-8")


def write_xlm_roberta(folder: Path) -> None:
    """Writes XLM-R's file of a unigram tokenizer."""
    tiny_unigram.xlm_roberta().save(str(folder / "tokenizer.json"))


# ModernBERT's special tokens in the place of RoBERTa's; runs of spaces are tokens, too.
OF_MODERN = {"<s>": "[CLS]", "<pad>": "[PAD]", "</s>": "[SEP]", "<unk>": "[UNK]"}
RUNS = [" " * count for count in (4, 3, 2)]


def their_modern_bert() -> Any:
    """ModernBERT's tokenizer in Hugging Face's library `tokenizers`."""
    from tokenizers import (
        AddedToken,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )

    vocabulary, merges = byte_bpe()
    vocabulary = [OF_MODERN.get(each, each) for each in vocabulary[:-1]]
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    whole = Tokenizer(models.BPE(ids, [tuple(each.split(" ")) for each in merges]))
    whole.normalizer = normalizers.NFC()
    whole.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    whole.decoder = decoders.ByteLevel()
    whole.add_special_tokens([*OF_MODERN.values(), AddedToken("[MASK]", lstrip=True)])
    whole.add_tokens([AddedToken(each, normalized=True) for each in RUNS])
    whole.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[(each, whole.token_to_id(each)) for each in ("[CLS]", "[SEP]")],
    )
    return whole


def write_modern_bert(folder: Path) -> None:
    """Writes ModernBERT's file of a byte-level BPE tokenizer."""
    their_modern_bert().save(str(folder / "tokenizer.json"))


SIZES = {
    "vocab_size": ROWS,
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "max_position_embeddings": POSITIONS,
}
TINY = {
    "bert": Tiny("Bert", SIZES, (3, 4, 0), write_vocabulary),
    "distilbert": Tiny(
        "DistilBert",
        {
            "vocab_size": ROWS,
            "dim": WIDTH,
            "n_heads": HEADS,
            "n_layers": LAYERS,
            "hidden_dim": HIDDEN,
            "max_position_embeddings": POSITIONS,
        },
        (3, 4, 0),
        write_vocabulary,
        segments=False,
        activation="activation",
    ),
    "roberta": Tiny(
        "Roberta",
        {
            **SIZES,
            "vocab_size": 283,
            "max_position_embeddings": POSITIONS + 2,
            "type_vocab_size": 1,
        },
        (0, 2, 1),
        write_byte_bpe,
        segments=False,
    ),
    "xlm-roberta": Tiny(
        "XLMRoberta",
        {
            **SIZES,
            "vocab_size": 241,
            "max_position_embeddings": POSITIONS + 2,
            "type_vocab_size": 1,
        },
        (0, 2, 1),
        write_xlm_roberta,
        segments=False,
    ),
    "mpnet": Tiny(
        "MPNet",
        {**SIZES, "max_position_embeddings": POSITIONS + 2},
        (0, 2, 1),
        write_mpnet,
        segments=False,
    ),
    "modernbert": Tiny(
        "ModernBert",
        {
            **SIZES,
            "num_hidden_layers": 4,  # of which the first and the last attend to all positions
            "vocab_size": 283 + len(RUNS),
            "local_attention": 4,
            "rope_parameters": {
                "full_attention": {"rope_type": "default", "rope_theta": 500.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 7.0},
            },
            "norm_eps": 1e-3,
            "classifier_pooling": "mean",
            "pad_token_id": 1,
            "bos_token_id": 0,
            "cls_token_id": 0,
            "eos_token_id": 2,
            "sep_token_id": 2,
        },
        (0, 2, 1),
        write_modern_bert,
        segments=False,
        activation="hidden_activation",
    ),
    "electra": Tiny("Electra", {**SIZES, "embedding_size": 7}, (3, 4, 0), write_vocabulary),
}


def facts() -> dict[str, Any]:
    """What Hugging Face's library wrote, by architecture."""
    written: dict[str, Any] = json.loads((REFERENCES / "encoders.json").read_text("utf-8"))
    return written


def write(
    folder: Path,
    family: str,
    task: str = "text-embedder",
    shards: int = 1,
    without: tuple[str, ...] = (),
    **config: Any,
) -> Path:
    """Writes the checkpoint of a task; `config` replaces entries of `config.json`, and tensors
    whose names begin as one of `without` are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tiny = TINY[family]
    written = facts()[tiny.stem + ENDS[task]]
    whole = {**written["config"], **config}
    (folder / "config.json").write_text(json.dumps(whole), "utf-8")
    tiny.write_tokenizer(folder)
    shapes = {k: v for k, v in written["shapes"].items() if not k.startswith(without)}
    save({name: drawn(name, shape) for name, shape in shapes.items()}, folder, shards)
    return folder


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """A tensor, the same whenever it is drawn."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    centre = 1.0 if "norm" in name.lower() and name.endswith("weight") else 0.0
    return (centre + 0.4 * rng.normal(size=shape)).astype("float32")
