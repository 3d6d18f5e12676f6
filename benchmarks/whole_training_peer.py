"""A program of plain Keras that trains a classifier of texts, for `whole_training`.

python benchmarks/whole_training_peer.py train.csv val.csv EPOCHS BATCH_SIZE OUT
"""

import csv
import os
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import tensorflow as tf


def read(path: str) -> tuple[list[str], list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def main() -> None:
    train, validation, epochs, batch, out = sys.argv[1:]
    texts, labels = read(train)
    names = sorted(set(labels))
    vectorize = keras.layers.TextVectorization(max_tokens=8000)
    vectorize.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(1024))

    def dataset(texts: list[str], labels: list[str]) -> tf.data.Dataset:
        return tf.data.Dataset.from_tensor_slices((texts, [names.index(each) for each in labels]))

    def batches(data: tf.data.Dataset) -> tf.data.Dataset:
        ready = data.batch(int(batch)).map(lambda text, label: (vectorize(text), label))
        return ready.prefetch(tf.data.AUTOTUNE)

    model = keras.Sequential(
        [
            keras.layers.Embedding(vectorize.vocabulary_size(), 64, mask_zero=True),
            keras.layers.Dropout(0.3),
            keras.layers.Bidirectional(keras.layers.GRU(64)),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(len(names)),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-3), loss, metrics=["accuracy"])
    best = keras.callbacks.ModelCheckpoint(f"{out}.keras", save_best_only=True)
    trained = batches(dataset(texts, labels).shuffle(10_000))
    model.fit(
        trained,
        validation_data=batches(dataset(*read(validation))),
        epochs=int(epochs),
        callbacks=[best],
        verbose=2,
    )


if __name__ == "__main__":
    main()
