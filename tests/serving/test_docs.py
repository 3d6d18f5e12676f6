"""The client of gRPC in the documentation, against a server of TensorFlow Serving's service."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
import tensorflow as tf
from tensorflow_serving.apis.predict_pb2 import PredictResponse
from tensorflow_serving.apis.prediction_service_pb2_grpc import (
    PredictionServiceServicer,
    add_PredictionServiceServicer_to_server,
)

import export
from export.worker.artifact import load
from tests.export.standin import StandIn
from tests.pages import blocks
from tests.serving.requests import arrays

pytestmark = pytest.mark.thorough
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "export" / "serving.md"


class Service(PredictionServiceServicer):
    """Answers with a SavedModel."""

    def __init__(self, run):
        self.run, self.asked = run, []

    def Predict(self, request, context):
        self.asked.append((request.model_spec.name, arrays(request.inputs)["text"].tolist()))
        response = PredictResponse()
        outputs = self.run(request.model_spec.signature_name, arrays(request.inputs))
        for name, array in outputs.items():
            response.outputs[name].CopyFrom(tf.make_tensor_proto(array))
        return response


def test_the_client(tmp_path):
    export.saved_model(StandIn(), tmp_path / "served" / "en-de", serving=True, max_new_tokens=5)
    run = load(tmp_path / "served" / "en-de" / "1", strings=True).run
    service, server = Service(run), grpc.server(ThreadPoolExecutor(1))
    add_PredictionServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    (code,) = blocks(PAGE, "python")
    done = subprocess.run(
        [sys.executable, "-c", code.replace(":8500", f":{port}")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    server.stop(0).wait()
    assert done.returncode == 0, done.stderr[-2000:]
    assert service.asked == [("en-de", [b"two dogs"])]
    assert done.stdout.strip() == str(
        run("serving_default", {"text": [b"two dogs"]})["text"].astype(object)
    )
