"""The devices whose records are believed: their keys, and the head each was registered with."""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from host_tools.durable import sync
from host_tools.records.errors import (
    DeviceKnown,
    KeyRefused,
    ProofRefused,
    RegistryDamaged,
    RegistryError,
    UnknownDevice,
)
from host_tools.records.keys import check_public_key, is_signed, key_id
from tumbler import definitions

POSSESSION_LABEL = b"sicbo-tumbler possession 1"
_DEVICE_ID_SIZE = 8
_HOST_KEY_SIZE = 32
_MIN_CHALLENGE = 16
_FORMAT = 1


class Head(NamedTuple):
    """The newest committed record: its sequence (0: none), SHA-256 and boot counter."""

    sequence: int
    digest: bytes
    boot: int


NO_RECORDS = Head(0, definitions.FIRST_PREVIOUS, 0)


@dataclass(frozen=True, slots=True)
class Device:
    """A registered tumbler; `head` is the record before the first one to be verified.

    Byte strings: id 8, public_key 32, host_key 32 (HMAC; None in a registry for auditors).
    """

    id: bytes
    name: str
    public_key: bytes
    host_key: bytes | None
    head: Head = NO_RECORDS

    @property
    def key_id(self) -> bytes:
        """The key's id as records name it, 8 bytes."""
        return key_id(self.public_key)


def possession_message(device: bytes, challenge: bytes) -> bytes:
    """What a device signs to prove that it holds the key it is registered with."""
    return POSSESSION_LABEL + device + challenge


class Registry:
    """Devices by id. In memory, of devices registered before; `Registry.open` keeps one in a file."""

    def __init__(self, devices: Iterable[Device] = ()) -> None:
        self._devices: dict[bytes, Device] = {}
        self._path: Path | None = None
        for device in devices:
            self._add(device)

    @classmethod
    def open(cls, path: Path) -> "Registry":
        """The registry of a file, empty when there is none yet; raises RegistryDamaged."""
        registry = cls(_read(path)) if path.exists() else cls()
        registry._path = path
        return registry

    def register(self, device: Device, challenge: bytes, proof: bytes) -> None:
        """Make a device known and, with a file, durably so.

        challenge: 16 random bytes or more, made for this call; proof: the device's signature over
        `possession_message(device.id, challenge)`. Raises KeyRefused, ProofRefused or DeviceKnown.
        """
        if len(challenge) < _MIN_CHALLENGE:
            raise ProofRefused(f"the challenge has {len(challenge)} bytes; use {_MIN_CHALLENGE} random ones")
        check_public_key(device.public_key)
        if not is_signed(device.public_key, proof, possession_message(device.id, challenge)):
            raise ProofRefused(f"device {device.id.hex()} did not prove that it holds its key")
        if self._path is None:
            self._add(device)
            return
        with _alone(self._path.parent):  # another ceremony may have registered a device since this one began
            now = Registry.open(self._path)
            now._add(device)
            _write(self._path, now._devices.values())
        self._devices = now._devices

    def device(self, device: bytes) -> Device:
        """The device of that id; raises UnknownDevice."""
        try:
            return self._devices[device]
        except KeyError:
            raise UnknownDevice(f"no device {device.hex()} is registered; provision it first") from None

    def devices(self) -> list[Device]:
        """All devices, by id."""
        return [self._devices[device] for device in sorted(self._devices)]

    def write_public(self, path: Path) -> None:
        """Write the registry for an auditor: the same file without host keys."""
        _write(path, [replace(device, host_key=None) for device in self.devices()])

    def _add(self, device: Device) -> None:
        _check(device)
        if device.id in self._devices:
            raise DeviceKnown(f"device {device.id.hex()} is registered already")
        if any(device.public_key == other.public_key for other in self._devices.values()):
            raise DeviceKnown(f"the key of device {device.id.hex()} is registered for another device")
        self._devices[device.id] = device


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process changes a registry of the folder, and keep others waiting."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _check(device: Device) -> None:
    """Raises KeyRefused or RegistryError for a device that no record could be verified against."""
    check_public_key(device.public_key)
    if len(device.id) != _DEVICE_ID_SIZE:
        raise RegistryError(f"a device id has {_DEVICE_ID_SIZE} bytes, not {len(device.id)}")
    if device.host_key is not None and len(device.host_key) != _HOST_KEY_SIZE:
        raise KeyRefused(f"a host key has {_HOST_KEY_SIZE} bytes, not {len(device.host_key)}")
    head = device.head
    if head.sequence < 0 or head.boot < 0 or len(head.digest) != len(definitions.FIRST_PREVIOUS):
        raise RegistryError(f"device {device.id.hex()} has an impossible head {head}")


def _read(path: Path) -> list[Device]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != _FORMAT:
            raise RegistryDamaged(f"{path} has format {content['format']!r}; these tools read {_FORMAT}")
        devices = [_from_json(entry) for entry in content["devices"]]
        Registry(devices)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, RegistryError) as error:
        raise RegistryDamaged(f"{path} is not a registry ({error}); restore it from a backup") from error
    return devices


def _from_json(entry: dict[str, Any]) -> Device:
    head, host_key = entry["head"], entry["host_key"]
    return Device(
        id=bytes.fromhex(entry["id"]),
        name=str(entry["name"]),
        public_key=bytes.fromhex(entry["public_key"]),
        host_key=None if host_key is None else bytes.fromhex(host_key),
        head=Head(_integer(head["sequence"]), bytes.fromhex(head["digest"]), _integer(head["boot"])),
    )


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not an integer")
    return value


def _to_json(device: Device) -> dict[str, Any]:
    return {
        "id": device.id.hex(),
        "name": device.name,
        "public_key": device.public_key.hex(),
        "host_key": None if device.host_key is None else device.host_key.hex(),
        "head": {
            "sequence": device.head.sequence,
            "digest": device.head.digest.hex(),
            "boot": device.head.boot,
        },
    }


def _write(path: Path, devices: Iterable[Device]) -> None:
    """Replace the file, readable by its owner only: after a crash it is the old one or the new one."""
    text = json.dumps({"format": _FORMAT, "devices": [_to_json(device) for device in devices]}, indent=1)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        sync(Path(temporary))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    sync(path.parent)
