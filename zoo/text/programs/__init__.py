"""Tokenizers as tensor programs: UTF-8 bytes to ids and back, with built-in operators of LiteRT."""
