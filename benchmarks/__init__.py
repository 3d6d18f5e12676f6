"""Measured speed beside peers, all contenders of a comparison in one run."""
