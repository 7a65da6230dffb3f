"""The log tells an operator what happens at a table, for people and for programs, without money or names."""

import json
import logging

from host_tools.bridge.wagering import Wager
from host_tools.commands.serve import _JsonLines
from host_tools.people import Role
from tests.host_tools.service.service_rig import COVERED, house
from tumbler.definitions import FACTS


async def test_what_an_operator_must_know_is_logged_by_its_weight(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    async with house(tmp_path) as at:
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [Wager("1", "Mei", "small", "12.00")])
        await at.ended(COVERED, round_id)
        void = await at.betting()
        await at.deciding(Role.SHIFT_MANAGER).void(COVERED, void, "host-void", "spilt drink")
        tumbler = at.tumblers[COVERED].tumbler
        tumbler.record("fault", fact=FACTS["tilted"], detail="4 degrees")
        await at.until(lambda: any("fault-raised" in each.getMessage() for each in caplog.records))
    told = [(each.levelname, each.getMessage()) for each in caplog.records if "table " in each.getMessage()]
    assert ("INFO", f"table {COVERED}: round-settled, faces 1 2 4") in told
    assert ("INFO", f"table {COVERED}: round-void, fact host-void, action void, clause 5.10") in told
    assert ("WARNING", f"table {COVERED}: fault-raised, fact tilted, detail 4 degrees") in told
    lines = [json.loads(_JsonLines().format(each)) for each in caplog.records]
    settled = next(each for each in lines if each.get("event") == "round-settled")
    assert settled["table"] == COVERED
    assert settled["round"] == round_id
    assert settled["level"] == "info"
    for secret in ("Mei", "12.00", "supervisor", "spilt drink"):
        assert secret not in caplog.text
