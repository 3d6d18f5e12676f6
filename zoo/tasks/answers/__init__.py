"""The answers of tasks: what models predict."""
