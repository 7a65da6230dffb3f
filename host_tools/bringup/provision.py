"""Provisioning: the board makes its keys, proves them and is registered; the ceremony is recorded.

The private key stays on the board. The host key (HMAC) is told once, goes into the registry and nowhere else.
So everything that could keep it from getting there is tried before the board makes its keys, and a board
whose host key was lost all the same is told apart from one that is registered.
"""

import ast
import json
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from host_tools.boards import Board
from host_tools.bringup.errors import BoardLost, DeviceError, StepFailed, Unsuitable
from host_tools.bringup.flash import hold
from host_tools.bringup.remote import Remote
from host_tools.durable import sync
from host_tools.records import Device, Registry, RegistryError

Tell = Callable[[str], None]

_KEY_S = 60.0
_ENTER = """
import main as loader, os
slot = loader.choose()
if slot is None: raise ValueError('no firmware boots: flash the board first')
loader.enter(slot)
from provision import provision
from tumbler.start import open_board
board, settings = open_board()
"""
# The board keeps what it told until it is reset: a line that was garbled is asked for again.
_MAKE = """
from binascii import unhexlify
told = repr(
    provision(
        board.storage, unhexlify({challenge!r}), unhexlify({entropy!r}), board.entropy,
        board.flash, settings.hal.get("journal_blocks", 0),
    )
)
"""
_TELL = """
from hashlib import sha256
print((told, sha256(told.encode()).digest()))
"""
_TELL_TRIES = 3
_DEVICE_ID = """
from binascii import hexlify
from tumbler.signing import KeyStore
print(hexlify(KeyStore(board.storage + '/keys').load().device_id).decode())
"""
_ERASE = 'erase it on purpose as docs/bring-up.md says under "Erase a device"'


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
        told, challenge = _make_keys(remote, registry, tell)
        device = Device(told["device"], name, told["public_key"], told["host_key"])
        _register(registry, device, challenge, told["proof"])
    finally:
        remote.reset()
    tell(f"Device {device.id.hex()} is registered as {name!r}")
    return Ceremony(device.id, device.public_key, _record(device, found.machine, who, at))


def check_folders(*folders: Path) -> None:
    """Raises Unsuitable for a folder into which nothing can be written: to be known before keys are made."""
    for folder in folders:
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"x" * 4096)
        except OSError as error:
            raise Unsuitable(
                f"cannot write into {folder} ({error.strerror}): make room or name another one. No key is"
                " made yet"
            ) from error


def _make_keys(remote: Remote, registry: Registry, tell: Tell) -> tuple[dict[str, bytes], bytes]:
    remote.run(_ENTER, wait_s=_KEY_S)
    tell("The board makes its keys ...")
    challenge = secrets.token_bytes(32)
    try:
        remote.run(
            _MAKE.format(challenge=challenge.hex(), entropy=secrets.token_bytes(64).hex()), wait_s=_KEY_S
        )
        return _hear_keys(remote), challenge
    except BoardLost as error:
        raise BoardLost(
            f"{error}. It may have made its keys already, then their host key is lost: the next run tells"
        ) from error
    except DeviceError as error:
        if "AlreadyProvisioned" in str(error):
            raise Unsuitable(_whose_keys(remote, registry)) from error
        raise


def _hear_keys(remote: Remote) -> dict[str, bytes]:
    for _ in range(_TELL_TRIES):
        try:
            text, digest = ast.literal_eval(remote.run(_TELL))
        except (ValueError, SyntaxError):
            continue
        if sha256(text.encode()).digest() == digest:
            return {name: bytes.fromhex(value) for name, value in ast.literal_eval(text).items()}
    raise StepFailed(
        "the board has keys now, but what it told of them came garbled: their host key is lost. Check the"
        f" cable, then {_ERASE} and provision it again"
    )


def _whose_keys(remote: Remote, registry: Registry) -> str:
    """Why the board is not provisioned again, and what may be done about it."""
    never = "the board is provisioned: its keys are never overwritten"
    try:
        device = bytes.fromhex(remote.run(_DEVICE_ID))
    except (DeviceError, ValueError) as error:
        return (
            f"{never}, though they cannot be read ({error}). Its records may be the only ones of its rounds:"
            f" save its folder journal first; to make a new device of it, {_ERASE}"
        )
    for known in registry.devices():
        if known.id == device:
            return (
                f"{never}. It is device {device.hex()}, registered as {known.name!r}. To make another device"
                f" of it, take it out of service first, then {_ERASE}"
            )
    return (
        f"{never}. It is device {device.hex()}, which this registry does not know. Either another registry"
        " does: name that one with --registry. Or the link was lost after its keys were made, before they"
        " were registered: then nobody has its host key, nobody can get it any more, and the board cannot"
        f" serve a table with these keys. When you are sure that no registry knows it, {_ERASE} and provision"
        " it again"
    )


def _register(registry: Registry, device: Device, challenge: bytes, proof: bytes) -> None:
    try:
        registry.register(device, challenge, proof)
    except (RegistryError, OSError) as error:
        raise StepFailed(
            f"the board has keys now, but it was not registered ({error}): its host key is lost with this"
            f" run. Put that right, then {_ERASE} and provision it again"
        ) from error


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
    """Keep the ceremony's record as a new file of `folder`; its path. Raises StepFailed with the record."""
    path = folder / f"key-ceremony-{ceremony.device.hex()}.json"
    text = json.dumps(ceremony.record, indent=2) + "\n"
    try:
        with path.open("x") as file:
            file.write(text)
        sync(path)
        sync(folder)
    except OSError as error:
        raise StepFailed(
            f"the device is registered, but its record cannot be written to {path} ({error.strerror}): nobody"
            f" makes it again, so save this text under that name:\n{text}"
        ) from error
    return path
