"""Training: `train` wraps `model.fit` with a schedule, an optimizer and checkpoints."""
