"""Provisioning: the board makes its keys, proves them and is registered; the ceremony is recorded.

The private key stays on the board. The host key (HMAC) is told once, goes into the registry and nowhere else.
"""

import ast
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from host_tools.boards import Board
from host_tools.bringup.errors import DeviceError, StepFailed, Unsuitable
from host_tools.bringup.flash import hold
from host_tools.bringup.remote import Remote
from host_tools.records import Device, Registry

Tell = Callable[[str], None]

_KEY_S = 60.0
_ENTER = """
import main as loader, os
slot = loader.choose()
if slot is None: raise ValueError('no firmware boots: flash the board first')
loader.enter(slot)
from provision import provision
from tumbler.start import open_board
board, _ = open_board()
"""
_MAKE = """
from binascii import unhexlify
print(repr(provision(board.storage, unhexlify({challenge!r}), unhexlify({entropy!r}), board.entropy)))
"""


@dataclass(frozen=True, slots=True)
class Ceremony:
    """What is kept of a provisioning; nothing in it is secret."""

    device: bytes
    public_key: bytes
    record: dict[str, Any]


def provision(  # noqa: PLR0913, PLR0917 - what a ceremony is made of
    remote: Remote, board: Board, registry: Registry, name: str, who: str, at: datetime, tell: Tell
) -> Ceremony:
    """Make a device of a flashed board and register it as `name`; `who` holds the ceremony.

    Raises Unsuitable for a board that has keys or no firmware, StepFailed when it does not prove its key,
    and the registry's errors. The board is reset at the end.
    """
    found = remote.enter()
    if not board.is_machine(found.machine):
        raise Unsuitable(
            f"the board says it is {found.machine!r}, not a {board.title}: connect the right one"
        )
    if not found.has_main:
        raise Unsuitable("the board holds no firmware: flash it first with `tumbler flash`")
    hold(remote, tell)
    try:
        told, challenge = _make_keys(remote, tell)
    finally:
        remote.reset()
    device = Device(told["device"], name, told["public_key"], told["host_key"])
    try:
        registry.register(device, challenge, told["proof"])
    except Exception as error:
        raise StepFailed(
            f"the board has keys now, but it was not registered ({error}): its host key is lost with this"
            " run. Remove the folders keys and journal from its volume and provision it again"
        ) from error
    tell(f"Device {device.id.hex()} is registered as {name!r}")
    return Ceremony(device.id, device.public_key, _record(device, found.machine, who, at))


def _make_keys(remote: Remote, tell: Tell) -> tuple[dict[str, bytes], bytes]:
    remote.run(_ENTER, wait_s=_KEY_S)
    tell("The board makes its keys ...")
    challenge = secrets.token_bytes(32)
    code = _MAKE.format(challenge=challenge.hex(), entropy=secrets.token_bytes(64).hex())
    try:
        told = ast.literal_eval(remote.run(code, wait_s=_KEY_S))
    except DeviceError as error:
        if "AlreadyProvisioned" in str(error):
            raise Unsuitable(
                "the board is provisioned: its keys are never overwritten. To make another device of it, take"
                " it out of service first, then erase its volume"
            ) from error
        raise
    return {name: bytes.fromhex(value) for name, value in told.items()}, challenge


def _record(device: Device, machine: str, who: str, at: datetime) -> dict[str, Any]:
    return {
        "ceremony": "device key made on the device",
        "device": device.id.hex(),
        "name": device.name,
        "machine": machine,
        "public_key": device.public_key.hex(),
        "public_key_sha256": sha256(device.public_key).hexdigest(),
        "key_id": device.key_id.hex(),
        "proof_of_possession": "verified",
        "held_by": who,
        "at": at.isoformat(timespec="seconds"),
        "host_tools": version("sicbo-tumbler"),
    }


def write_record(ceremony: Ceremony, folder: Path) -> Path:
    """Keep the ceremony's record as a new file of `folder`; its path."""
    path = folder / f"key-ceremony-{ceremony.device.hex()}.json"
    with path.open("x") as file:
        json.dump(ceremony.record, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    return path
