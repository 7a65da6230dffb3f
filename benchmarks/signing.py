"""Signing on the MicroPython unix port against textbook Ed25519 in the same process (150-byte messages).

Times are medians of CPU time over interleaved rounds, ratios medians of each round's ratio. Ours is the
hedged signature; both sides hash with the viper SHA-512.
"""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
MICROPYTHON = Path(sys.executable).with_name("micropython")
COMPARISONS = (
    ("sign, textbook as in RFC 8032 section 6", "ours", "textbook"),
    ("sign, textbook with its public key kept", "ours", "textbook_key_kept"),
    ("SHA-512, viper against plain", "sha512_viper", "sha512_plain"),
)


def run() -> list[dict]:
    """One row a comparison; times in milliseconds, the ratio says how many times faster ours is."""
    times = measure()
    return [row(what, times[ours], times[baseline]) for what, ours, baseline in COMPARISONS]


def measure() -> dict[str, list[float]]:
    """Milliseconds of every round by subject, from one MicroPython process with a board-like heap."""
    command = [MICROPYTHON, "-X", "heapsize=480k", "benchmarks/micropython/signing_rounds.py"]
    return json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


def row(what: str, ours: list[float], baseline: list[float]) -> dict:
    """A result in the form of `tumbler bench`."""
    ratio = median(slow / fast for fast, slow in zip(ours, baseline, strict=True))
    return {
        "bench": "signing",
        "what": what,
        "ours": median(ours),
        "baseline": median(baseline),
        "ratio": ratio,
        "unit": "ms",
    }
