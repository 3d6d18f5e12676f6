"""Pure tensor functions that the layers share."""
