"""Bring-up of a board on the bench: flash, provision, self-test, monitor and attest, by REPL and UART."""
