"""A broker that acknowledges a few messages of each connection, then cuts it off (MQTT 3.1.1)."""

import json
import socket
import threading
from types import TracebackType
from typing import BinaryIO

_CONNECT, _PUBLISH = 1, 3
_CONNACK, _PUBACK = b"\x20\x02\x00\x00", b"\x40\x02"


class FickleBroker:
    """Listens on `port`; `told` has the last face of each message that it has acknowledged, in order."""

    def __init__(self, takes: int) -> None:
        self._takes = takes
        self.told: list[int] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "FickleBroker":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            with line, line.makefile("rb") as stream:
                self._serve_one(line, stream)

    def _serve_one(self, line: socket.socket, stream: BinaryIO) -> None:
        left = self._takes
        while left and (head := stream.read(1)):
            body = stream.read(_length(stream))
            if head[0] >> 4 == _CONNECT:
                line.sendall(_CONNACK)
            elif head[0] >> 4 == _PUBLISH:
                end = 2 + int.from_bytes(body[:2], "big")
                self.told.append(json.loads(body[end + 2 :])["faces"][2])
                line.sendall(_PUBACK + body[end : end + 2])
                left -= 1
        line.shutdown(socket.SHUT_WR)
        stream.read()  # what is unread when a line is closed takes its acknowledgements with it


def _length(stream: BinaryIO) -> int:
    length = shift = 0
    while True:
        (byte,) = stream.read(1)
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return length
