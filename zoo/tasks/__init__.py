"""Tasks: raw data to a model and back, what people train, save and export."""
