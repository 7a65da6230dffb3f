"""Records out of the ledger as JSON lines, for an auditor who verifies them with public keys only."""

import json
from typing import TextIO

from host_tools.ledger.ledger import Ledger


def export_records(ledger: Ledger, device: bytes, out: TextIO) -> int:
    """Write every record of a device in order, one object `{"device", "sequence", "record"}` a line (bytes in
    hex), and return how many; raises DeviceUnknown."""
    ledger.device(device)
    count = 0
    for record in ledger.records(device):
        line = {"device": device.hex(), "sequence": record.sequence, "record": record.raw.hex()}
        out.write(json.dumps(line) + "\n")
        count += 1
    return count
