"""The recipes of tasks: how models are trained."""
