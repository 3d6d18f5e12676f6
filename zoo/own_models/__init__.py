"""Keras models of one's own, with what turns them into a service: a tokenizer, labels, a page."""
