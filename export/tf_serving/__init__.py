"""The files that TensorFlow Serving needs beside a SavedModel."""
