"""A local HTTP server of a model, with TensorFlow Serving's REST API and a page to try it."""
