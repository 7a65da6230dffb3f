"""A second MicroPython board, wired to the board under test: it plays the scenario on real pins."""
