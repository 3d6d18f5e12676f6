"""Code that runs in a worker process, which can import neither this library nor Keras."""
