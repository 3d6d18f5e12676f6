"""The options of each task, readable without TensorFlow: what `--help` shows is declared here."""
