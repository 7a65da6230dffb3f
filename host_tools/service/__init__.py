"""The table service: one process that runs tables for the table server and for people."""
