"""The demo: trains and exports a small model that converts written dates to ISO dates."""
