"""What runs in a worker process, where neither the library nor Keras is imported."""
