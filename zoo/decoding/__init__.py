"""Generation, written once for every decoder."""
