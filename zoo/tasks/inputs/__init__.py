"""The inputs of tasks: what models read."""
