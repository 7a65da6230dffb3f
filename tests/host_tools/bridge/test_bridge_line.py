"""A table's line is opened as its board bears it, on whichever port answers."""

from pathlib import Path
from typing import Any

import pytest
import serialx

from host_tools.boards import UnknownBoard, known_boards, load_board
from host_tools.bridge.line import PortLine
from host_tools.link import TransportLost

DEVICE = b"tumbler1"


@pytest.mark.parametrize("board", known_boards())
async def test_each_candidate_is_opened_as_the_board_s_file_says(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, dict[str, Any]] = {}

    async def connect(url: str, **options: Any) -> None:
        asked[url] = options
        raise OSError("nobody there")

    monkeypatch.setattr(serialx, "open_serial_connection", connect)
    for name in ("ttyA", "ttyB", "other"):
        (tmp_path / name).touch()
    with pytest.raises(TransportLost, match="nobody there"):
        await PortLine(DEVICE, [str(tmp_path / "tty*")], board, 921600)()
    assert sorted(asked) == [str(tmp_path / "ttyA"), str(tmp_path / "ttyB")]
    usb = load_board(board).hardware["usb"] or {"dtr": True, "rts": True}
    for options in asked.values():
        lines = options["dtr_on_open"].to_bool(), options["rts_on_open"].to_bool()
        assert lines == (usb["dtr"], usb["rts"])
        assert options["baudrate"] == 921600


def test_an_unknown_board_is_named_at_once() -> None:
    with pytest.raises(UnknownBoard, match="no such board"):
        PortLine(DEVICE, ["/dev/ttyACM0"], "abacus")


def test_only_several_ports_are_worth_another_look(tmp_path: Path) -> None:
    line = PortLine(DEVICE, [str(tmp_path / "tty*"), str(tmp_path / "alias")], "virtual")
    assert not line.has_others()
    (tmp_path / "ttyA").touch()
    (tmp_path / "alias").symlink_to(tmp_path / "ttyA")
    assert not line.has_others(), "two names of one port"
    (tmp_path / "ttyB").touch()
    assert line.has_others()
