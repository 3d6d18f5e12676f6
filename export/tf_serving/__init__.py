"""What TensorFlow Serving needs beside a SavedModel."""
