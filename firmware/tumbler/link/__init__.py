"""The serial link's device side: frames, go-back-N over journal sequences, authenticated commands."""
