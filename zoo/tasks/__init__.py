"""Tasks: models with their preprocessing and data readers, which you train, save and export."""
