"""The virtual board's flash image behaves as NOR flash, on the interpreter that mounts it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MICROPYTHON = Path(sys.executable).with_name("micropython")
BLOCK = 4096


def on_flash(image, script):
    program = (
        "import sys; sys.path[:] = ['firmware']\n"
        "from tumbler.hal.virtual import FlashImage\n"
        f"flash = FlashImage({str(image)!r})\n{script}"
    )
    command = [MICROPYTHON, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


def test_erasing_sets_bits_and_programming_only_clears_them(tmp_path):
    image = tmp_path / "flash.img"
    image.write_bytes(b"\x00" * BLOCK + b"\xff" * BLOCK)
    on_flash(
        image,
        "flash.writeblocks(0, b'\\x55' * 256, 256)\n"
        "flash.writeblocks(1, b'\\x0f' * 256, 512)\n"
        "flash.writeblocks(1, b'\\x3c' * 256, 512)\n",
    )
    expected = bytearray(b"\x00" * BLOCK + b"\xff" * BLOCK)
    expected[BLOCK + 512 : BLOCK + 768] = b"\x0c" * 256
    assert image.read_bytes() == expected
    on_flash(image, "flash.ioctl(6, 0)\nflash.writeblocks(0, b'\\x55' * 256, 256)\n")
    expected[:BLOCK] = b"\xff" * 256 + b"\x55" * 256 + b"\xff" * (BLOCK - 512)
    assert image.read_bytes() == expected


def test_tells_its_size_and_reads_what_is_there(tmp_path):
    image = tmp_path / "flash.img"
    image.write_bytes(bytes(range(256)) * 48)
    script = (
        "buffer = bytearray(4)\nflash.readblocks(2, buffer, 100)\n"
        "print(flash.ioctl(4, 0), flash.ioctl(5, 0), *buffer)\n"
    )
    assert on_flash(image, script) == ["3", "4096", "100", "101", "102", "103"]
