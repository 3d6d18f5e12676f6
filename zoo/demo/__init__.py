"""The demo: dates as people write them, read by a small model, trained and exported in minutes."""
