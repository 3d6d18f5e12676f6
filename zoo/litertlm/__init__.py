"""Language models in the form that LiteRT-LM runs."""
