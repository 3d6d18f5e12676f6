"""The formats that a model is exported to, one module for each."""
