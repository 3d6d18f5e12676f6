"""Import this before Keras: peers and exports need its TensorFlow backend, without its chatter."""

import logging
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["KERAS_BACKEND"] = "tensorflow"
logging.getLogger("tensorflow").setLevel(logging.ERROR)
