"""Text generation: greedy decoding, beam search and sampling."""
