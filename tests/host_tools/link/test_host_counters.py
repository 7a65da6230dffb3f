"""Every kind of error has a counter at the host, and the error alone moves it."""

import asyncio
import hashlib

import pytest

from host_tools.link import EvidenceFile, TransportLost
from tests.host_tools.link.rig import in_virtual_time
from tests.host_tools.link.test_host_session import SESSION, Hand

DIGEST = hashlib.sha256(b"frames").digest()


async def silence(hand, folder):
    await asyncio.sleep(6)


async def repetition(hand, folder):
    hand.record(1)
    await hand.heard()
    hand.record(1)
    await hand.heard()


async def gap(hand, folder):
    hand.record(2)
    await hand.heard()


async def another_session(hand, folder):
    hand.send("status", {**STATUS}, SESSION + 1)
    await hand.heard()


async def write_that_is_lost(hand, folder):
    transport = hand.session._transport

    async def lost(data):
        raise TransportLost("the plug was pulled")

    transport.write = lost
    await asyncio.sleep(1.1)  # a ping is due


async def question_without_an_answer(hand, folder):
    asking = asyncio.create_task(hand.session.questions.recall(1))
    await asyncio.sleep(1.2)
    asking.cancel()


async def missing_piece(hand, folder):
    asking = asyncio.create_task(hand.session.questions.evidence(EvidenceFile(folder, DIGEST)))
    await asyncio.sleep(0.1)
    for offset in (0, 1024):
        hand.send("evidence", {"frames": DIGEST, "offset": offset, "total": 4096, "data": bytes(512)})
    await asyncio.sleep(0.2)
    asking.cancel()


async def reply_to_nothing(hand, folder):
    hand.reply(7)
    await hand.heard()


async def unknown_type(hand, folder):
    hand.line.to_host.send(b"\0\x03xy\0")
    await hand.heard()


STATUS = {"state": 0, "strokes": 0, "at_rest": True, "faults": [], "last": 0, "uptime_ms": 1, "crc_errors": 0}
ERRORS = {
    silence: {"silences"},
    repetition: {"repeated"},
    gap: {"out_of_order", "naks"},
    another_session: {"stale"},
    write_that_is_lost: {"lost_writes"},
    question_without_an_answer: {"question_repeats"},
    missing_piece: {"evidence_gaps"},
    reply_to_nothing: {"stray_replies"},
    unknown_type: {"noise"},
}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
@in_virtual_time(60)
async def test_an_error_is_counted_as_what_it_is(error, tmp_path):
    hand = await Hand().connected()
    before = hand.session.counters.copy()
    await error(hand, tmp_path)
    moved = hand.session.counters - before
    assert set(moved) == ERRORS[error]
    assert set(moved.values()) == {1}
