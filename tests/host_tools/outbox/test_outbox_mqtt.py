"""Displays get every result at least once and in order, whatever happens to the broker and to us."""

import asyncio
import contextlib
import json
import queue
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from fickle_broker import FickleBroker
from mosquitto import Mosquitto
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from host_tools.ledger import Ledger, LedgerUnavailable, Notice, open_ledger
from host_tools.outbox import FanOut, MqttSettings
from host_tools.outbox.mqtt import BrokerLost, connected, topic_of

TABLE = "Table 1"


@pytest.fixture
def broker(tmp_path) -> Iterator[Mosquitto]:
    folder = tmp_path / "broker"
    folder.mkdir()
    with Mosquitto(folder) as running:
        yield running


@pytest.fixture
def books(tmp_path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        yield ledger


@contextlib.contextmanager
def display(broker: Mosquitto, topic: str = "tumbler/#") -> Iterator["queue.SimpleQueue[tuple[str, dict]]"]:
    """An independent subscriber: what it receives, in order."""
    received: queue.SimpleQueue[tuple[str, dict]] = queue.SimpleQueue()
    subscribed: queue.SimpleQueue[None] = queue.SimpleQueue()
    client = Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: received.put(
        (message.topic, json.loads(message.payload))
    )
    client.on_subscribe = lambda *_: subscribed.put(None)
    client.connect("127.0.0.1", broker.port)
    client.subscribe(topic, qos=1)
    client.loop_start()
    subscribed.get(timeout=20)
    yield received
    client.disconnect()
    client.loop_stop()


@contextlib.asynccontextmanager
async def running(books: Ledger, broker: Mosquitto | FickleBroker) -> AsyncIterator[FanOut]:
    async def soon(_seconds: float) -> None:
        await asyncio.sleep(0.02)

    fan_out = FanOut(books, lambda: [TABLE], MqttSettings("127.0.0.1", broker.port), soon)
    task = asyncio.create_task(fan_out.run())
    yield fan_out
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it does not come true within 20 seconds")


def settle(books: Ledger, *numbers: int) -> None:
    for number in numbers:
        with books.transaction():
            books.notify(TABLE, "round-settled", b"r" * 16, {"faces": [1, 2, number]}, number)


async def taken(received: "queue.SimpleQueue[tuple[str, dict]]", count: int) -> list[int]:
    """The last faces of the next messages."""
    return [(await asyncio.to_thread(received.get, True, 20))[1]["faces"][2] for _ in range(count)]


async def test_every_notice_reaches_a_display_in_order(books, broker):
    settle(books, 1, 2)
    with display(broker) as received:
        async with running(books, broker):
            first = await asyncio.to_thread(received.get, True, 20)
            settle(books, 3, 4)
            assert await taken(received, 3) == [2, 3, 4]
    topic, told = first
    assert topic == "tumbler/Table 1/round-settled"
    assert told == {
        "number": 1,
        "table": TABLE,
        "topic": "round-settled",
        "round": "72" * 16,
        "faces": [1, 2, 1],
    }
    assert received.empty()


async def test_a_display_that_is_switched_on_shows_the_last_result(books, broker):
    settle(books, 1, 2, 3)
    async with running(books, broker) as fan_out:
        await until(lambda: fan_out.sent >= 3)
    with display(broker) as received:
        assert await taken(received, 1) == [3]
        assert received.empty()


async def test_a_new_start_sends_nothing_again(books, broker):
    settle(books, 1)
    async with running(books, broker) as fan_out:
        await until(lambda: fan_out.sent > 0)
    with display(broker, "tumbler/+/round-settled") as received:
        assert await taken(received, 1) == [1]  # the retained one
        settle(books, 2)
        async with running(books, broker) as fan_out:
            assert await taken(received, 1) == [2]
            await until(lambda: fan_out.sent == 1)


async def test_a_broker_that_dies_gets_what_it_missed(books, broker):
    async with running(books, broker) as fan_out:
        settle(books, 1)
        await until(lambda: fan_out.sent > 0)
        broker.kill()
        settle(books, 2, 3)
        await until(lambda: fan_out.failures > 0)
        assert books.delivered("mqtt", TABLE) < books.notices(TABLE)[-1].number
        broker.start()
        with display(broker) as received:
            seen = set(await taken(received, 1))
            while 3 not in seen:
                seen |= set(await taken(received, 1))
            await until(lambda: fan_out.sent >= 3)
    assert books.undelivered("mqtt", TABLE) == []


async def test_a_broker_that_goes_away_again_and_again_gets_further_each_time(books):
    settle(books, *range(1, 8))
    with FickleBroker(takes=3) as broker:
        async with running(books, broker):
            await until(lambda: books.undelivered("mqtt", TABLE) == [])
    assert broker.told == [1, 2, 3, 4, 5, 6, 7]


async def test_a_store_that_is_away_for_a_while_gets_its_notices_told_later(books, broker, monkeypatch):
    undelivered, durably = books.undelivered, books.durably

    async def gone(*_arguments):
        raise LedgerUnavailable("server gone")

    def away(*_arguments):
        raise LedgerUnavailable("server gone")

    with display(broker) as received:
        async with running(books, broker) as fan_out:
            settle(books, 1)
            await until(lambda: fan_out.sent > 0)
            monkeypatch.setattr(books, "durably", gone)
            settle(books, 2)
            await until(lambda: fan_out.failures > 0)
            monkeypatch.setattr(books, "undelivered", away)
            seen = fan_out.failures
            await until(lambda: fan_out.failures > seen + 1)
            monkeypatch.setattr(books, "undelivered", undelivered)
            monkeypatch.setattr(books, "durably", durably)
            await until(lambda: fan_out.sent > 1)
            told = await taken(received, received.qsize())
    assert sorted(set(told)) == [1, 2]
    assert told == sorted(told)
    assert books.undelivered("mqtt", TABLE) == []


def test_a_broker_that_is_not_there_is_named(tmp_path, broker):
    broker.kill()
    with pytest.raises(BrokerLost, match="no connection"):
        connected(MqttSettings("127.0.0.1", broker.port))


@pytest.mark.parametrize("name", ["a/b", "#", "+", "Tisch 1", "tisch ä"])
def test_no_name_of_a_table_reaches_into_anothers_topics(name):
    topic = topic_of("tumbler", Notice(1, name, "round-void", None, "{}"))
    assert topic.count("/") == 2
    assert "+" not in topic
    assert "#" not in topic
