"""Quick answers of a run: by a LiteRT file in its folder, without TensorFlow."""
