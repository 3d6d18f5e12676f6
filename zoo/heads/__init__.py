"""The answers of models: a file for each kind of answer."""
