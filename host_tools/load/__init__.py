"""The table service under load: simulated tumblers for many tables, players who ask for all, and a judge."""
