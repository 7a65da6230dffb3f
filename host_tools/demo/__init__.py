"""The demo: a whole virtual table with simulated players, shown live, as lines or as JSON."""
