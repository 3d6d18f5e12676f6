"""Peers that serve the same SavedModel; benchmarks/serving.py starts them.

    python serving_peer.py fastapi SAVED_MODEL PORT
    python serving_peer.py litserve SAVED_MODEL PORT

FastAPI calls the model for each request alone, in its threads; LitServe joins up to 32 requests of
2 ms. Imports nothing of this project: it runs in an environment with fastapi, litserve, tensorflow
and tensorflow-text.
"""

import sys

MAX_BATCH, MAX_WAIT = 32, 0.002


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


def fastapi(path, port):
    import uvicorn
    from fastapi import FastAPI

    app, answer = FastAPI(), loaded(path)

    @app.post("/predict")
    def predict(body: dict):
        return {"predictions": answer(body["instances"])}

    uvicorn.run(app, port=port, log_level="warning")


def litserve(path, port):
    import litserve

    class Api(litserve.LitAPI):
        def setup(self, device):
            self.answer = loaded(path)

        def decode_request(self, request):
            return request["instances"][0]

        def predict(self, texts):
            return self.answer(texts)

        def encode_response(self, output):
            return {"predictions": [output]}

    api = Api(max_batch_size=MAX_BATCH, batch_timeout=MAX_WAIT)
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=1)
    server.run(host="127.0.0.1", port=port, generate_client_file=False, log_level="warning")


if __name__ == "__main__":
    kind, path, port = sys.argv[1:]
    {"fastapi": fastapi, "litserve": litserve}[kind](path, int(port))
