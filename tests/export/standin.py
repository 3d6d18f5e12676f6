"""A tiny task that satisfies the export protocol: an attentive generator over words."""

from __future__ import annotations

import logging
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import ops
from tensorflow_text import FastWordpieceTokenizer, WhitespaceTokenizer

from tests.export.parts import InOneCall, Parts, Tensor, of_features

PAD, START, END = 0, 2, 3
VOCABULARY = ["[PAD]", "[UNK]", "[START]", "[END]"] + (
    "a man in red hat the dog runs ##s ##ning b ##ig é ö 帽 子 ? !".split()
)
TEXTS = ["a man in the red hat", "", "dogs runs", "帽 é ö zzz", "a big dog ! " * 40]
LIMIT = 12  # source tokens kept


def network(width: int = 13) -> keras.Model:
    """Token ids -> memory, and the layers a step needs, with jittered weights."""
    size = len(VOCABULARY)
    ids = keras.Input((None,), dtype="int32", name="source_ids")
    embedding = keras.layers.Embedding(size, width, name="embedding")
    x = embedding(ids)
    outputs = {
        "memory": keras.layers.Dense(width, activation="tanh", name="memory")(x),
        "logits": keras.layers.Dense(size, name="logits")(x),
    }
    model = keras.Model({"source_ids": ids}, outputs, name="standin")
    random = np.random.default_rng(11)
    for weight in model.weights:
        weight.assign(random.normal(scale=2.9 / width**0.5, size=weight.shape))
    return model


class StandIn(InOneCall):
    """The protocol and no more; `fault` breaks one thing, to see that it is found."""

    def __init__(self, width: int = 13, fault: str = "") -> None:
        self.model = network(width)
        self.export_config = {"task": "stand-in", "width": width}
        self.fault = fault
        self.tokenizer = FastWordpieceTokenizer(
            vocab=VOCABULARY,
            token_out_type=tf.int32,
            unknown_token="[UNK]",
            no_pretokenization=True,
            support_detokenization=True,
        )

    def encode(self, text):
        words = WhitespaceTokenizer().tokenize(text)
        ids = self.tokenizer.tokenize(words).merge_dims(-2, -1)
        # A ragged slice would need the operator RaggedRange, which LiteRT lacks.
        return {"token_ids": ids.to_tensor(PAD)[:, :LIMIT]}

    def decode(self, outputs, features):
        rows = tf.RaggedTensor.from_tensor(outputs["token_ids"], padding=PAD)
        return {"text": self.tokenizer.detokenize(rows), "score": outputs["scores"]}

    def generate(self, token_ids, max_new_tokens: int, maps: bool = False):
        """Greedy decoding; stops when every row has ended."""
        embed, logits = self.model.get_layer("embedding"), self.model.get_layer("logits")
        memory = self.model({"source_ids": token_ids})["memory"]
        mask = ops.cast(ops.not_equal(token_ids, PAD), "float32")
        rows, length = ops.shape(token_ids)[0], ops.shape(token_ids)[1]
        steps = max_new_tokens

        def attend(query):
            scores = ops.einsum("bd,bsd->bs", query, memory) / 3.0
            weights = ops.exp(scores - 3.0) * mask
            return weights / (ops.sum(weights, axis=-1, keepdims=True) + 1e-6)

        def unfinished(step, last, *_):
            return ops.logical_and(step < steps, ops.any(ops.not_equal(last, END)))

        def body(step, last, ids, lengths, scores, attention):
            live = ops.not_equal(last, END)
            query = embed(last)
            weights = attend(query)
            context = ops.einsum("bs,bsd->bd", weights, memory)
            if self.fault == "batch":
                context = context + ops.mean(context, axis=0, keepdims=True)
            if self.fault == "padding":
                context = context + 0.1 * ops.cast(length, "float32")
            step_logits = logits(query + context) + 0.4 * ops.cast(step, "float32") * end
            log_probs = ops.log_softmax(step_logits)
            # ops.argmax would need the operator BitwiseAnd, which LiteRT lacks.
            token = ops.squeeze(ops.top_k(log_probs, 1)[1], axis=-1)
            token = ops.where(live, token, END)
            shown = ops.where(ops.logical_and(live, ops.not_equal(token, END)), token, PAD)
            place = [0, step]
            ids = ops.slice_update(ids, place, ops.expand_dims(shown, 1))
            lengths = lengths + ops.cast(ops.not_equal(shown, PAD), "int32")
            scores = scores + ops.where(live, ops.max(log_probs, axis=-1), 0.0)
            row = ops.expand_dims(weights * ops.expand_dims(ops.cast(live, "float32"), 1), 1)
            attention = ops.slice_update(attention, [0, step, 0], row)
            return step + 1, token, ids, lengths, scores, attention

        end = ops.one_hot(END, len(VOCABULARY), dtype="float32")
        start = (
            ops.convert_to_tensor(0, "int32"),
            ops.full((rows,), START, "int32"),
            ops.zeros((rows, steps), "int32"),
            ops.zeros((rows,), "int32"),
            ops.zeros((rows,), "float32"),
            ops.zeros((rows, steps, length), "float32"),
        )
        _, _, ids, lengths, scores, attention = ops.while_loop(unfinished, body, start)
        result = {"token_ids": ids, "lengths": lengths, "scores": scores}
        return {**result, "attention": attention} if maps else result

    def signatures(self, text: str | None, litert: bool = False, max_new_tokens: int = 7):
        ids = {"token_ids": Tensor(("batch", "length"), "int32", PAD)}
        generated = {"token_ids": ("batch", None), "lengths": ("batch",), "scores": ("batch",)}

        def tokens(token_ids):
            return self.generate(token_ids, max_new_tokens)

        def attention(token_ids):
            return self.generate(token_ids, max_new_tokens, maps=True)

        if self.fault == "empty":
            return {}
        if self.fault == "python":

            def infer(token_ids):
                seen = tf.numpy_function(lambda x: x, [token_ids], tf.int32)
                return tokens(tf.ensure_shape(seen, [None, None]))

        else:
            infer = tokens
        served = of_features(ids, infer, generated)
        maps = {**generated, "attention": ("batch", None, "length")}
        shown = of_features(ids, attention, maps)
        if not text:
            return {"serving_default": served, "attention": shown}
        text = {"text": Tensor(("batch",), "string")}
        spoken = Parts(text, ids, infer, generated, self.encode, self.decode)
        return {"serving_default": spoken, "tokens": served, "attention": shown}

    def probes(self, **generation):
        ids = [self.encode(tf.constant(TEXTS))["token_ids"].numpy()]
        ids += [np.array([[4, 5, 6], [7, 8, 0]], "int32"), np.array([[9, 4, 5, 6, 7]], "int32")]
        texts = [np.array(TEXTS), np.array(TEXTS[:1])]
        if self.fault == "plain probes":
            texts = [np.array(["a man", "red hat"])]
        return {
            "serving_default": [{"text": batch} for batch in texts],
            "tokens": [{"token_ids": batch} for batch in ids],
        }

    def samples(self, **generation):
        words = np.random.default_rng(7).choice(VOCABULARY[4:], (64, 5))
        texts = np.array([" ".join(row) for row in words], object)
        ids = self.encode(tf.constant(texts))["token_ids"].numpy()
        return {"serving_default": [{"text": texts}], "tokens": [{"token_ids": ids}]}

    def assets(self):
        return {"vocabulary.txt": "\n".join(VOCABULARY)}

    def evaluate_artifact(self, artifact, data) -> dict[str, float]:
        """The share of words found again, for a file of `text<TAB>wanted`."""
        pairs = [line.split("\t") for line in Path(data).read_text().splitlines()]
        logging.getLogger("keras_attn").warning("%s: %d pairs", Path(data).name, len(pairs))
        inputs = {"text": np.array([source for source, _ in pairs], object)}
        if "text" in artifact.signatures["serving_default"]["inputs"]:
            actual = artifact.run("serving_default", inputs)["text"]
        else:
            features = self.encode(tf.constant(inputs["text"]))
            outputs = artifact.run("serving_default", {k: x.numpy() for k, x in features.items()})
            actual = self.decode(outputs, features)["text"].numpy()
        words = [
            set(text.decode().split()) & set(wanted.split())
            for text, (_, wanted) in zip(actual, pairs, strict=True)
        ]
        return {"words": 100 * sum(map(len, words)) / sum(len(b.split()) for _, b in pairs)}
