"""The picture of what a GPT and a BERT are surprised by."""

import keras
import numpy as np

import zoo
from docs.lectures.pictures import style
from docs.lectures.pictures.dates import rows
from keras_attn import MaskedCrossentropy, MaskedLMLoss
from zoo.attention_map import label
from zoo.data.pretraining.masking import NOT_CHOSEN, Masking
from zoo.text.special_tokens import SpecialTokens
from zoo.training.schedule import cosine_schedule

TEXT = "Thursday, 27 March 2031"
COUNT, EPOCHS, LENGTH = 8000, 12, 32
MASK = 4
SIZES = {"num_layers": 3, "hidden_dim": 64, "num_heads": 4, "intermediate_dim": 256}
SIZES |= {"dropout": 0.0, "max_sequence_length": LENGTH}


def encoded(texts: list[str], characters: str) -> np.ndarray:
    """Ids (B, T) of texts: 2 at the start, then the characters, 3 at the end, 0 as padding."""
    ids = np.zeros((len(texts), LENGTH), "int32")
    for row, text in zip(ids, texts, strict=True):
        values = [2, *(5 + characters.index(character) for character in text), 3]
        row[: len(values)] = values
    return ids


def trained(name: str, ids: np.ndarray, size: int) -> keras.Model:
    """A `gpt` that predicts next characters, or a `bert` that predicts masked ones."""
    keras.utils.set_random_seed(0)
    task, loss = (
        (None, {"logits": MaskedCrossentropy(ignore_id=0)})
        if name == "gpt"
        else ("masked-lm", {"mlm_logits": MaskedLMLoss(ignore_id=NOT_CHOSEN)})
    )
    model = zoo.create_model(name, "tiny", task, vocabulary_size=size, **SIZES)
    rate = cosine_schedule(3e-3, 100, EPOCHS * len(ids) // 64)
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss=loss)
    masking, rng = Masking(SpecialTokens(mask=MASK), size), np.random.default_rng(0)
    for _ in range(EPOCHS):
        read, wanted = (ids[:, :-1], ids[:, 1:]) if name == "gpt" else masking(ids, rng)
        model.fit(inputs(name, read), {next(iter(loss)): wanted}, batch_size=64, verbose=0)
    return model


def inputs(name: str, ids: np.ndarray) -> dict[str, np.ndarray]:
    """The inputs of a model by name."""
    both = {"token_ids": ids, "padding_mask": ids != 0}
    return both if name == "gpt" else both | {"segment_ids": np.zeros_like(ids)}


def bits(name: str, model: keras.Model, row: np.ndarray, count: int) -> np.ndarray:
    """The surprise at each of the characters of a row, in bits."""
    places = np.arange(count)
    if name == "gpt":
        logits = np.asarray(model(inputs(name, row[:, :-1]))["logits"])[0, :count]
    else:
        each = np.repeat(row, count, axis=0)  # in each row another character is masked
        each[places, places + 1] = MASK
        logits = np.asarray(model(inputs(name, each))["mlm_logits"])[places, places + 1]
    log_p = np.asarray(keras.ops.log_softmax(logits))
    return -log_p[places, row[0, places + 1]] / np.log(2)


def surprise() -> None:
    """Bits at each character of a date: of the next one, and of a masked one."""
    texts = [line.split("\t")[0] for line in rows(COUNT, seed=0)]
    texts = [text for text in texts if text != TEXT]
    characters = "".join(sorted({*"".join(texts)}))
    ids, size = encoded(texts, characters), 5 + len(characters)
    row = encoded([TEXT], characters)
    titles = {"gpt": "gpt sees what is on the left", "bert": "bert sees both sides"}
    figure = style.figure(9.6, 4.2)
    both = figure.subplots(2, 1, sharex=True, sharey=True)
    for number, (name, axes) in enumerate(zip(titles, both, strict=True)):
        found = bits(name, trained(name, ids, size), row, len(TEXT))
        axes.bar(range(len(TEXT)), found, color=style.COLORS[number], width=0.8)
        axes.set_title(f"{titles[name]}: {found.sum():.0f} bits", loc="left")
        axes.set(ylabel="bits", axisbelow=True)
        axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_xticks(range(len(TEXT)), [label(character) for character in TEXT])
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("character of a date")
    style.save(figure, "surprise")
