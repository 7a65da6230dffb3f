"""Files that outlive a power cut: what was written is on the disk, and so is the name it goes by."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Have the system write a file, or a folder's names, to the disk; OSError when it cannot."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
