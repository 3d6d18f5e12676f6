"""Artifacts in engines for batch jobs, each with the convention of the engine."""
