"""Results to displays over MQTT 3.1.1: every notice at least once and in order, resumed where it stopped.

A notice is marked as delivered after the broker has acknowledged it (QoS 1), so a crash between the two sends
it again: whoever must not count it twice compares its `number`, which grows within a table. The last notice
of each topic is retained, so a display that is switched on shows the last result at once.
"""

import asyncio
import json
import logging
import queue
import ssl
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from paho.mqtt.client import Client, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.reasoncodes import ReasonCode

from host_tools.ledger import Ledger, Notice

CONSUMER = "mqtt"
BATCH = 100  # notices in flight; their marks are one commit
PAUSE_S = 0.25  # between two looks into the outbox
BACK_OFF_S = (0.5, 30.0)  # from the first to the longest wait for a broker that is away
ANSWER_S = 10.0  # how long the broker may take to acknowledge

_log = logging.getLogger(__name__)


class BrokerLost(Exception):
    """The broker is away or does not acknowledge; what it did not acknowledge is sent again."""


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """Where the broker is. `password_file` keeps the password out of the configuration; `ca_file` turns on
    TLS and says whose certificates are trusted; topics begin with `prefix`."""

    host: str
    port: int = 1883
    prefix: str = "tumbler"
    username: str = ""
    password_file: Path | None = None
    ca_file: Path | None = None


class FanOut:
    """Sends the notices of the `sources` (tables' names) to one broker until cancelled."""

    def __init__(
        self,
        books: Ledger,
        sources: Callable[[], Iterable[str]],
        settings: MqttSettings,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._books = books
        self._sources = sources
        self._settings = settings
        self._sleep = sleep
        self.sent = 0  # notices acknowledged by the broker since the start
        self.failures = 0  # connections that were lost or refused

    async def run(self) -> None:
        """Deliver for ever; a broker or a ledger that is away is tried again, ever more slowly."""
        wait, longest = BACK_OFF_S
        while True:
            sent = self.sent
            try:
                await self._deliver_while_connected()
            except Exception as failure:  # whatever it is, displays want what happens after it too
                self.failures += 1
                _log.warning("MQTT broker %s:%s: %s", self._settings.host, self._settings.port, failure)
            wait = BACK_OFF_S[0] if self.sent > sent else min(2 * wait, longest)
            await self._sleep(wait)

    async def _deliver_while_connected(self) -> None:
        client = await asyncio.to_thread(connected, self._settings)
        try:
            while client.is_connected():
                delivered = [await self._deliver(client, source) for source in self._sources()]
                if not any(delivered):
                    await self._sleep(PAUSE_S)
            raise BrokerLost("the connection is gone")
        finally:
            await asyncio.to_thread(_close, client)

    async def _deliver(self, client: Client, source: str) -> int:
        notices = self._books.undelivered(CONSUMER, source, BATCH)
        if not notices:
            return 0
        count, lost = await asyncio.to_thread(self._publish, client, notices)
        if count:
            last = notices[count - 1].number
            await self._books.durably(lambda: self._books.mark_delivered(CONSUMER, source, last))
            self.sent += count
        if lost is not None:
            raise lost
        return count

    def _publish(self, client: Client, notices: list[Notice]) -> tuple[int, BrokerLost | None]:
        """How many the broker has acknowledged from the first on, and why not all: of what it has taken none
        is sent again, however often it goes away."""
        under_way = [
            client.publish(topic_of(self._settings.prefix, each), payload_of(each), qos=1, retain=True)
            for each in notices
        ]
        for count, each in enumerate(under_way):
            try:
                _await(each)
            except BrokerLost as lost:
                return count, lost
        return len(notices), None


def topic_of(prefix: str, notice: Notice) -> str:
    """The MQTT topic of a notice; in a table's name `+`, `#` and `/`, which mean something, are encoded."""
    return f"{prefix}/{quote(notice.source, safe=' ')}/{notice.topic}"


def payload_of(notice: Notice) -> bytes:
    """The notice as one JSON object: its number, table, topic and round, and what it tells."""
    told = {"number": notice.number, "table": notice.source, "topic": notice.topic}
    if notice.round is not None:
        told["round"] = notice.round.hex()
    return json.dumps({**json.loads(notice.body), **told}, sort_keys=True).encode()


def connected(settings: MqttSettings) -> Client:
    """A client in a session with the broker; it does not reconnect by itself. Raises BrokerLost."""
    client = Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
    if settings.username:
        password = settings.password_file.read_text().strip() if settings.password_file else None
        client.username_pw_set(settings.username, password)
    if settings.ca_file:
        client.tls_set(ca_certs=str(settings.ca_file), tls_version=ssl.PROTOCOL_TLS_CLIENT)
    answers: queue.SimpleQueue[ReasonCode] = queue.SimpleQueue()
    client.on_connect = lambda _client, _data, _flags, answer, _properties: answers.put(answer)
    try:
        client.connect(settings.host, settings.port, keepalive=30)
    except OSError as error:
        raise BrokerLost(f"no connection: {error}") from error
    client.loop_start()
    try:
        answer = answers.get(timeout=ANSWER_S)
    except queue.Empty:
        _close(client)
        raise BrokerLost(f"no answer within {ANSWER_S:.0f} s") from None
    if answer.is_failure:
        _close(client)
        raise BrokerLost(f"it refuses the session: {answer}; check the user name and the password")
    return client


def _await(info: MQTTMessageInfo) -> None:
    if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
        raise BrokerLost(f"it takes nothing now ({info.rc.name})")
    try:
        info.wait_for_publish(ANSWER_S)
    except (RuntimeError, ValueError) as error:
        raise BrokerLost(str(error)) from error
    if not info.is_published():
        raise BrokerLost(f"no acknowledgement within {ANSWER_S:.0f} s")


def _close(client: Client) -> None:
    client.disconnect()
    client.loop_stop()
