"""The page that shows a model, of `keras-attn serve` and of folders that run it in a browser."""
