"""Examples for pretraining made from plain text: masked, paired or corrupted."""
