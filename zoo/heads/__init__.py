"""What models answer: a file for each kind of answer."""
