"""Zoo models: one readable file a family."""
