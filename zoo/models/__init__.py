"""The models of the zoo, one or a few files each."""
