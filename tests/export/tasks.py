"""Tiny tasks whose tensors differ in kind: tags of words, graphs and images."""

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_attn import GraphAttention
from tests.export.models import jitter
from tests.export.parts import InOneCall, Parts, Tensor, of_features

WORDS = "a man in red hat the dog runs".split()
PAD, UNKNOWN = 9, 8  # ids of words begin at 0
TAGS = ["o", "thing", "act"]


class Task(InOneCall):
    """What all of them have."""

    def __init__(self, model, config):
        self.model = jitter(model)
        self.export_config = {"task": config}

    def samples(self, **generation):
        return self.probes(**generation)

    def assets(self):
        return {}

    def evaluate_artifact(self, artifact, data):
        raise NotImplementedError


class Tagger(Task):
    """Ids -> a tag for each of them: outputs grow with the length, and 0 is a word and a tag."""

    def __init__(self, invariances=("batch", "padding")):
        ids = keras.Input((None,), dtype="int32", name="token_ids")
        keep = ops.expand_dims(ops.cast(ops.not_equal(ids, PAD), "float32"), -1)
        x = keras.layers.Embedding(10, 7)(ids)
        mean = ops.sum(x * keep, axis=1, keepdims=True) / (ops.sum(keep, 1, keepdims=True) + 1e-3)
        scores = keras.layers.Dense(len(TAGS))(ops.tanh(x + mean))
        super().__init__(keras.Model(ids, scores * keep), "tags")
        self.invariances = invariances
        table = tf.lookup.KeyValueTensorInitializer(
            WORDS, list(range(len(WORDS))), value_dtype=tf.int32
        )
        self.table = tf.lookup.StaticHashTable(table, UNKNOWN)

    def encode(self, text):
        words = tf.strings.split(text)
        return {"token_ids": self.table.lookup(words).to_tensor(PAD), "words": words}

    def infer(self, token_ids):
        scores = self.model(token_ids)
        best = ops.cast(ops.squeeze(ops.top_k(scores, 1)[1], -1), "int32")
        return {"scores": scores, "class_id": best}

    def decode(self, outputs, features):
        tags = tf.gather(tf.constant(TAGS), outputs["class_id"])
        tags = tf.RaggedTensor.from_tensor(tags, features["words"].row_lengths())
        return {"text": tf.strings.reduce_join(tags, axis=1, separator=" ")}

    def signatures(self, text, litert=False):
        ids = {"token_ids": Tensor(("batch", "length"), "int32", PAD)}
        outputs = {"scores": ("batch", "length", 3), "class_id": ("batch", "length")}
        rest = {"invariances": self.invariances}
        if not text:
            return {"serving_default": of_features(ids, self.infer, outputs, **rest)}
        texts = {"text": Tensor(("batch",), "string")}
        stages = {"preprocess": self.encode, "postprocess": self.decode}
        return {
            "serving_default": Parts(
                texts, ids, self.infer, outputs, **stages, tables=(self.table,), **rest
            ),
            "tokens": of_features(ids, self.infer, outputs, **rest),
        }

    def probes(self, **generation):
        texts = np.array(["the red dog runs", "a", "", "é in hat"], object)
        ids = [
            np.array([[0, 1, 7, 3, 8], [2, 0, PAD, PAD, PAD]], "int32"),
            np.array([[6]], "int32"),
        ]
        return {"serving_default": [{"text": texts}], "tokens": [{"token_ids": x} for x in ids]}


class Graphs(Task):
    """Nodes (N, F) and edges (2, E) -> (N, K) and (E, H); only nodes may be padded."""

    def __init__(self):
        nodes = keras.Input((5,), name="nodes")
        edges = keras.Input(batch_shape=(2, None), dtype="int32", name="edges")
        layer = GraphAttention(units=3, num_heads=2)
        output, weights = layer(nodes, edges, return_attention_scores=True)
        super().__init__(keras.Model({"nodes": nodes, "edges": edges}, [output, weights]), "graphs")

    def infer(self, nodes, edges):
        output, weights = self.model({"nodes": nodes, "edges": edges})
        return {"nodes": output, "weights": weights}

    def signatures(self, text, litert=False):
        features = {
            "nodes": Tensor(("nodes", 5), "float32", 0.0),
            "edges": Tensor((2, "edges"), "int32"),
        }
        outputs = {"nodes": ("nodes", 6), "weights": ("edges", 2)}
        parts = of_features(features, self.infer, outputs, invariances=("padding",))
        return {"serving_default": parts}

    def probes(self, **generation):
        random = np.random.default_rng(2)
        calls = [
            {
                "nodes": random.normal(size=(nodes, 5)).astype("float32"),
                "edges": random.integers(0, nodes, size=(2, edges)).astype("int32"),
            }
            for nodes, edges in ((3, 7), (5, 4), (17, 40))
        ]
        return {"serving_default": calls}


class Images(Task):
    """Images of any height and width -> classes; neither may be padded."""

    def __init__(self):
        image = keras.Input((None, None, 3), name="image")
        x = keras.layers.Conv2D(5, 3, padding="same", activation="relu")(image)
        x = keras.layers.GlobalAveragePooling2D()(x)
        super().__init__(keras.Model(image, keras.layers.Dense(4)(x)), "images")

    def signatures(self, text, litert=False):
        image = {"image": Tensor(("batch", "height", "width", 3), "float32")}
        parts = of_features(
            image, lambda image: {"logits": self.model(image)}, {"logits": ("batch", 4)}
        )
        return {"serving_default": parts}

    def probes(self, **generation):
        random = np.random.default_rng(2)
        sizes = ((3, 7, 11, 3), (1, 5, 2, 3))
        calls = [{"image": random.normal(size=size).astype("float32")} for size in sizes]
        return {"serving_default": calls}
