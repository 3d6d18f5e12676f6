"""Fuzz tests: whatever a file contains, reading it ends in a result or in one sentence.

`targets.py` lists what is read, `mutations.py` changes the files, `guard.py` checks the outcome.
`python -m tests.fuzz --minutes 30` runs until the time is up. Where atheris is installed,
`python -m tests.fuzz.coverage "word vectors"` looks for changes that reach further code.
"""
