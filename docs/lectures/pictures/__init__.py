"""Pictures of the lectures, drawn from what the library computes."""
