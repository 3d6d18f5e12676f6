"""A SavedModel behind FastAPI, called for each request alone; benchmarks/serving.py runs it.

    python fastapi_peer.py SAVED_MODEL PORT

Imports nothing of this project: it runs in an environment with fastapi, uvicorn, tensorflow and
tensorflow-text.
"""

import sys


def loaded(path):
    """A function from texts to the rows of outputs."""
    import tensorflow as tf
    import tensorflow_text  # noqa: F401  its operators

    model = tf.saved_model.load(path)
    signature = model.signatures["serving_default"]

    def answer(texts, _keep=model):
        outputs = {name: x.numpy() for name, x in signature(text=tf.constant(texts)).items()}
        return [{name: _json(x[row]) for name, x in outputs.items()} for row in range(len(texts))]

    return answer


def _json(value):
    return value.decode() if isinstance(value, bytes) else value.tolist()


def main(path, port):
    import uvicorn
    from fastapi import FastAPI

    app, answer = FastAPI(), loaded(path)

    @app.post("/predict")
    def predict(body: dict):
        return {"predictions": answer(body["instances"])}

    uvicorn.run(app, port=int(port), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
