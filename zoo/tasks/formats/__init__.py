"""The formats of tasks: what users have."""
