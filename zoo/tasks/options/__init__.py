"""The options of each task, which `--help` shows. These modules do not import TensorFlow."""
