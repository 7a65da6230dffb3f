"""Times signing and SHA-512 in interleaved rounds; prints one JSON object, milliseconds of CPU a call."""

import gc
import json
import sys
import time

sys.path[:0] = ["firmware", "benchmarks/micropython"]

import textbook_ed25519 as textbook  # noqa: E402

from tumbler.signing import Ed25519Signer  # noqa: E402
from tumbler.signing.sha512 import compress, plain_compress, sha512  # noqa: E402

SEED = bytes(range(32))
MESSAGE = bytes([i * 7 & 255 for i in range(150)])
ROUNDS = 9

signer = Ed25519Signer(SEED)
if signer.sign(MESSAGE, None) != textbook.sign(SEED, MESSAGE):
    raise ValueError("the two implementations do not agree")
if compress is plain_compress:
    raise ValueError("this interpreter has no viper")

SUBJECTS = {
    "ours": (lambda: signer.sign(MESSAGE, bytes), 150),
    "textbook": (lambda: textbook.sign(SEED, MESSAGE), 6),
    "textbook_key_kept": (lambda: textbook.sign_with(SEED, signer.public_key, MESSAGE), 12),
    "sha512_viper": (lambda: sha512(MESSAGE), 4000),
    "sha512_plain": (lambda: sha512(MESSAGE, using=plain_compress), 60),
}


def time_of(call, count):
    gc.collect()
    start = time.clock()
    for _ in range(count):
        call()
    return 1000 * (time.clock() - start) / count


times = {name: [] for name in SUBJECTS}
for _ in range(ROUNDS):
    for name, (call, count) in SUBJECTS.items():
        times[name].append(time_of(call, count))
print(json.dumps(times))
