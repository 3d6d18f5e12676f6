"""What an export for TensorFlow Serving has: read with the real protos, and answered."""

import json

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
from tensorflow_serving.apis.predict_pb2 import PredictRequest
from tensorflow_serving.apis.prediction_log_pb2 import PredictionLog

WARMUP = "assets.extra/tf_serving_warmup_requests"


def warmup(version):
    """The logs of the warm-up of a version, in their order."""
    records = tf.data.TFRecordDataset(str(version / WARMUP))
    return [PredictionLog.FromString(each.numpy()).predict_log for each in records]


def examples(version):
    """By signature, the example for REST and that for gRPC."""
    folder = version / "assets.extra" / "requests"
    return {
        file.stem: (
            json.loads(file.with_suffix(".json").read_text("utf-8")),
            PredictRequest.FromString(file.read_bytes()),
        )
        for file in sorted(folder.glob("*.pb"))
    }


def arrays(tensors):
    """The arrays of a request's inputs, or of a response's outputs."""
    return {name: tf.make_ndarray(each) for name, each in tensors.items()}


def columns(body):
    """The columns of JSON with rows or columns of named tensors, or of one without a name."""
    actual = next(
        body[key] for key in ("inputs", "outputs", "instances", "predictions") if key in body
    )
    if isinstance(actual, dict):
        return actual
    if not isinstance(actual[0], dict) or "b64" in actual[0]:
        return {"": actual}
    return {name: [row[name] for row in actual] for name in actual[0]}


def assert_same(actual, expected):
    """Texts and integers are equal, and other numbers close."""
    assert set(actual) == set(expected)
    for name, wanted in expected.items():
        given = np.asarray(actual[name])
        assert given.shape == wanted.shape, name
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(given, wanted, rtol=1e-4, atol=1e-5, err_msg=name)
        else:
            np.testing.assert_array_equal(given, wanted, err_msg=name)


def batching_parameters(text):
    """A configuration of batches, parsed with the proto of TensorFlow Serving, which is no part of
    `tensorflow-serving-api`: session_bundle_config.proto, without what no export writes."""
    kinds = descriptor_pb2.FieldDescriptorProto
    number, wrapped = ".google.protobuf.Int64Value", kinds.TYPE_MESSAGE
    file = descriptor_pb2.FileDescriptorProto(
        name="batching_parameters.proto",
        package="tests",
        syntax="proto3",
        dependency=["google/protobuf/wrappers.proto"],
    )
    message = file.message_type.add(name="BatchingParameters")
    for place, name in enumerate(
        ("max_batch_size", "batch_timeout_micros", "max_enqueued_batches", "num_batch_threads"), 1
    ):
        message.field.add(name=name, number=place, label=1, type=wrapped, type_name=number)
    message.field.add(name="allowed_batch_sizes", number=6, label=3, type=kinds.TYPE_INT64)
    message.field.add(name="pad_variable_length_inputs", number=7, label=1, type=kinds.TYPE_BOOL)
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    actual = pool.FindMessageTypeByName("tests.BatchingParameters")
    return text_format.Parse(text, message_factory.GetMessageClass(actual)())


def in_a_batch(run, requests, sizes):
    """What TensorFlow Serving answers to requests that it computes together: it puts their rows
    one after the other, and repeats the first row of the last request up to a size."""
    count = sum(len(next(iter(each.values()))) for each in requests)
    more = min(size for size in sizes if size >= count) - count
    filled = [*requests, *[{key: x[:1] for key, x in requests[-1].items()}] * more]
    together = {key: np.concatenate([each[key] for each in filled]) for key in requests[0]}
    outputs, start = run(together), 0
    for each in requests:
        rows = len(next(iter(each.values())))
        yield {key: x[start : start + rows] for key, x in outputs.items()}
        start += rows
