"""Records: making one under MicroPython, its size, and verifying on the host; `ratio` is ours / baseline.

Baselines: a JWS of the same content (MicroPython's json and base64, both in C) for making and size; the cwt
library of the test environment, which checks the signature only, for verifying.
"""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from host_tools.records import NO_RECORDS, Device, Registry, Verifier
from host_tools.records.keys import key_id
from tumbler import definitions

ROOT = Path(__file__).resolve().parents[1]
MICROPYTHON = Path(sys.executable).with_name("micropython")
SECONDS = 1.0
_DEVICE = b"device 1"

# One reading of a round of three strokes: what a result costs.
_SETUP = """
import sys
sys.path.insert(0, "firmware")
from tumbler import definitions
from tumbler.records import cose
from tumbler.records.chain import Chain
from binascii import b2a_base64, hexlify
import json, time

class NoSigner:
    key_id = bytes(8)
    def sign(self, message, entropy):
        return bytes(64)

chain = Chain(bytes(8), 3, 1000, bytes(32), NoSigner(), None)
values = {
    "round": bytes(16), "strokes": [[21000, 640], [20800, 655], [21200, 610]], "faces": [1, 6, 3],
    "tilts": [4, 0, 7], "confidences": [991, 1000, 987], "frames": bytes(32), "profile": bytes(32),
    "wall_ms": 1790000000000,
}
common = {"version": 1, "kind": 5, "device": bytes(8), "boot": 3, "sequence": 1001, "previous": bytes(32),
          "uptime_ms": 123456}

def seal():
    return chain.seal("reading", 123456, values)

def jws():
    shown = dict(common)
    shown.update(values)
    for name in shown:
        if isinstance(shown[name], bytes):
            shown[name] = b2a_base64(shown[name])[:-1].decode()
    head = b2a_base64(json.dumps({"alg": "EdDSA", "kid": "AAAAAAAAAAA"}).encode())[:-1]
    body = b2a_base64(json.dumps(shown).encode())[:-1]
    return head + b"." + body + b"." + b2a_base64(bytes(64))[:-1]

def microseconds(make):
    best = 1 << 30
    for _ in range(40):
        start = time.ticks_us()
        for _ in range(50):
            make()
        best = min(best, time.ticks_diff(time.ticks_us(), start))
    return best / 50

figures = {"seal": microseconds(seal), "jws": microseconds(jws), "record": len(seal()), "text": len(jws())}
print(json.dumps(figures))
"""


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    device = _on_micropython()
    verified, checked = _verifications()
    return [
        _row("make a reading record, unsigned, on MicroPython; JWS", device["seal"], device["jws"], "us"),
        _row("a reading record, signed; JWS", device["record"], device["text"], "bytes"),
        _row("verify a record and its chain on the host; cwt, signature only", verified, checked, "1/s"),
    ]


def _row(what: str, ours: float, baseline: float | None, unit: str) -> dict:
    ratio = None if baseline is None else ours / baseline
    return {
        "bench": "records",
        "what": what,
        "ours": ours,
        "baseline": baseline,
        "ratio": ratio,
        "unit": unit,
    }


def _on_micropython() -> dict[str, float]:
    command = [MICROPYTHON, "-X", "heapsize=480k", "-c", _SETUP]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _verifications() -> tuple[float, float | None]:
    """Records a second verified here, and by cwt where it is installed."""
    key = Ed25519PrivateKey.generate()
    public_key = key.public_key().public_bytes_raw()
    record = _boot_record(key, public_key)
    verifier = Verifier(Registry([Device(_DEVICE, "", public_key, None)]))
    ours = _rate(lambda: verifier.verify(record, NO_RECORDS))
    try:
        import cwt  # noqa: PLC0415 - only in the test environment
    except ImportError:
        return ours, None
    parts = {1: 1, -1: 6, -2: public_key, 3: definitions.COSE_ALGORITHM, 2: key_id(public_key)}
    cose_key, receiver = cwt.COSEKey.new(parts), cwt.COSE.new()
    return ours, _rate(lambda: receiver.decode(record, cose_key, external_aad=definitions.RECORD_LABEL))


def _boot_record(key: Ed25519PrivateKey, public_key: bytes) -> bytes:
    values = {
        "version": definitions.PROTOCOL_VERSION,
        "kind": definitions.RECORD_KINDS["boot"][0],
        "device": _DEVICE,
        "boot": 1,
        "sequence": 1,
        "previous": definitions.FIRST_PREVIOUS,
        "uptime_ms": 12,
        "firmware": hashlib.sha256(b"firmware").digest(),
        "profile": hashlib.sha256(b"profile").digest(),
    }
    payload = cbor2.dumps({definitions.RECORD_FIELDS[name][0]: value for name, value in values.items()})
    protected = cbor2.dumps({1: definitions.COSE_ALGORITHM, 4: key_id(public_key)})
    signature = key.sign(cbor2.dumps(["Signature1", protected, definitions.RECORD_LABEL, payload]))
    return cbor2.dumps(cbor2.CBORTag(18, [protected, {}, payload, signature]))


def _rate(work: Callable[[], object]) -> float:
    """How often a second `work` is done."""
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        work()
        count += 1
    return count / (time.perf_counter() - start)
