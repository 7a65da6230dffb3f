"""A tiny application for tests of the virtual board: a JSON command a line on the UART, an answer a line."""

import json

from tumbler.definitions import CHANNELS
from tumbler.hal import CameraError
from tumbler.hal.virtual import Board

board = Board({"drive_limit_ms": 4000, "camera_limit_ms": 500, "watchdog_ms": 30000})
frame = bytearray(320 * 240)


def wait(ms):
    """Let `ms` of board time pass; what the sensors told meanwhile."""
    edges = []
    peak = 0
    until = board.now() + ms
    while board.now() < until:
        board.idle()
        edges += list(board.edges())
        peak = max(peak, board.vibration())
    levels = {name: board.level(name) for name in CHANNELS}
    return {"edges": edges, "vibration": peak, "now": board.now(), "levels": levels}


def capture():
    try:
        board.capture(frame)
    except CameraError as error:
        return {"error": str(error)}
    return {"sum": sum(frame), "first": list(frame[:16])}


def rise(passed):
    """Count up until the power goes, a line in a file each, durable before it is told."""
    number = 0
    while True:
        number += 1
        with open(board.storage + "/count", "a") as file:
            file.write(str(number) + "\n")
        say(number)
        board.idle()


def read(path):
    with open(board.storage + "/" + path) as file:
        return file.read()


def raw(count):
    """Take `count` bytes from the wire as they come."""
    say(None)
    taken = []
    buffer = bytearray(256)
    while len(taken) < count:
        taken += list(buffer[: board.receive(buffer)])
        board.idle()
    return taken


COMMANDS = {
    "echo": lambda values: values,
    "raw": raw,
    "now": board.now,
    "level": board.level,
    "wait": wait,
    "strokes": board.start_strokes,
    "stop": board.stop_drive,
    "cover": board.release_cover,
    "lamp": board.lamp,
    "capture": capture,
    "entropy": lambda n: list(board.entropy(n)),
    "restart": board.restart,
    "rise": rise,
    "read": read,
}


def do(commands):
    """Several commands at once: no time passes between them."""
    return [COMMANDS[name](*arguments) for name, *arguments in commands]


COMMANDS["do"] = do


def say(answer):
    data = json.dumps(answer).encode() + b"\n"
    while data:
        sent = board.send(data)
        data = data[sent:]
        if data:
            board.idle()


def serve():
    say("probe")
    pending = b""
    buffer = bytearray(256)
    while True:
        pending += buffer[: board.receive(buffer)]
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            name, *arguments = json.loads(line)
            say(COMMANDS[name](*arguments))
        board.idle()


serve()
