"""What runs in a fresh process, where neither the library nor Keras is imported."""
