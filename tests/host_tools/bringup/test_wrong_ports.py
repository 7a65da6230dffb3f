"""Ports with something else behind them: silent ones, and ones that never stop talking."""

import asyncio
import contextlib
import os
import threading
import tty

import pytest
from test_bringup_command import tumbler


@contextlib.contextmanager
def port(chatter: bytes):
    """A pty whose other end says `chatter` again and again, or nothing."""
    near, far = os.openpty()
    tty.setraw(far)
    os.set_blocking(near, False)
    over = threading.Event()

    def talk() -> None:
        while not over.wait(0.001):
            with contextlib.suppress(BlockingIOError):
                os.write(near, chatter)
            with contextlib.suppress(BlockingIOError):
                os.read(near, 4096)

    talking = threading.Thread(target=talk)
    talking.start()
    try:
        yield os.ttyname(far)
    finally:
        over.set()
        talking.join()
        os.close(near)
        os.close(far)


@pytest.mark.parametrize("chatter", [b"", b"temperature 21.5 C\r\n", b"\x00\xff" * 50])
async def test_flashing_what_is_no_micropython_ends_with_a_sentence(chatter: bytes) -> None:
    with port(chatter) as path:
        async with asyncio.timeout(60):
            code, _, errors = await tumbler("flash", "--board", "virtual", "--port", path)
    assert code == 2
    assert "no MicroPython answers" in errors


@pytest.mark.parametrize("chatter", [b"", b"temperature 21.5 C\r\n"])
async def test_a_monitor_that_hears_no_tumbler_says_so(chatter: bytes) -> None:
    with port(chatter) as path:
        code, output, errors = await tumbler("monitor", "--uart", path, "--seconds", "2", "--json")
    assert (code, output) == (1, "")
    assert "no tumbler answers" in errors
