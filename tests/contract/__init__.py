"""One harness that holds every exported layer to the layer contract."""
