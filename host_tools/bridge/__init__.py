"""The bridge: a table's rounds, moved only by what the ledger and the device's signed records prove."""
