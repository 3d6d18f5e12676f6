"""Tasks in the form that MediaPipe Tasks run."""
