"""Training: one `train` around `model.fit`, with its schedule, optimizer and checkpoints."""
