"""Faults made on purpose, and the proof that nothing is lost or doubled by them."""
