"""A SavedModel behind LitServe, which joins up to 32 requests of 2 ms.

benchmarks/serving.py runs it:

    python litserve_peer.py SAVED_MODEL PORT

Imports nothing of this project: it runs in an environment with litserve, tensorflow and
tensorflow-text.
"""

import sys

import litserve
from fastapi_peer import loaded

MAX_BATCH, MAX_WAIT = 32, 0.002


class Api(litserve.LitAPI):
    def setup(self, device):
        self.answer = loaded(sys.argv[1])

    def decode_request(self, request):
        return request["instances"][0]

    def predict(self, texts):
        return self.answer(texts)

    def encode_response(self, output):
        return {"predictions": [output]}


if __name__ == "__main__":
    api = Api(max_batch_size=MAX_BATCH, batch_timeout=MAX_WAIT)
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=1)
    port = int(sys.argv[2])
    server.run(host="127.0.0.1", port=port, generate_client_file=False, log_level="warning")
