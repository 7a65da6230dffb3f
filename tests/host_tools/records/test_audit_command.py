"""`tumbler audit verify`: what an auditor sees, and exit statuses 0, 1 and 2."""

import base64
import json

import pytest
import typer
from record_kit import CHALLENGE, DEVICE, KEY, OTHER_KEY, chain, head_of, public
from typer.testing import CliRunner

from host_tools.commands import audit
from host_tools.records import Device, Registry, possession_message

RECORDS = chain(8)
OTHER = b"device 2"


@pytest.fixture(scope="module")
def app():
    app = typer.Typer()
    app.callback()(lambda: None)
    audit.register(app)
    return app


@pytest.fixture
def registry(tmp_path):
    registry = Registry.open(tmp_path / "registry.json")
    for device, key in ((DEVICE, KEY), (OTHER, OTHER_KEY)):
        entry = Device(device, "", public(key), b"h" * 32)
        registry.register(entry, CHALLENGE, key.sign(possession_message(device, CHALLENGE)))
    registry.write_public(tmp_path / "public.json")
    return tmp_path / "public.json"


def line(sequence, record, device=DEVICE, text=bytes.hex):
    return json.dumps({"device": device.hex(), "sequence": sequence, "record": text(record)}) + "\n"


def bundle(tmp_path, lines, name="records.jsonl"):
    path = tmp_path / name
    path.write_text("".join(lines))
    return path


def good_lines(records=RECORDS, start=1):
    return [line(sequence, record) for sequence, record in enumerate(records, start)]


def run(app, *arguments):
    return CliRunner().invoke(app, ["audit", "verify", *map(str, arguments)])


def test_a_good_bundle(app, registry, tmp_path):
    path = bundle(tmp_path, good_lines())
    done = run(app, path, "--registry", registry)
    assert done.exit_code == 0
    assert "8 records verified" in done.stdout
    assert head_of(RECORDS[-1], 8, 2).digest.hex() in done.stdout


def test_json(app, registry, tmp_path):
    path = bundle(tmp_path, good_lines())
    done = run(app, path, "--registry", registry, "--json")
    assert [json.loads(each) for each in done.stdout.splitlines()] == [
        {"file": str(path), "ok": True, "verified": 8},
        {
            "device": DEVICE.hex(),
            "sequence": 8,
            "digest": head_of(RECORDS[-1], 8, 2).digest.hex(),
            "boot": 2,
        },
    ]


def test_base64_and_several_files_in_order(app, registry, tmp_path):
    encoded = [
        line(n, record, text=lambda raw: base64.b64encode(raw).decode())
        for n, record in enumerate(RECORDS, 1)
    ]
    first = bundle(tmp_path, encoded[:5], "first.jsonl")
    second = bundle(tmp_path, encoded[5:], "second.jsonl")
    assert run(app, first, second, "--registry", registry).exit_code == 0
    assert run(app, second, first, "--registry", registry).exit_code == 1


def test_faults_are_named_with_their_line(app, registry, tmp_path):
    flipped = RECORDS[4][:-1] + bytes([RECORDS[4][-1] ^ 1])
    for fault, lines in (
        ("BadSignature", [*good_lines(RECORDS[:4]), line(5, flipped)]),
        ("Gap", [*good_lines(RECORDS[:4]), line(6, RECORDS[5])]),
        ("Replay", [*good_lines(RECORDS[:4]), line(4, RECORDS[3])]),
        ("Mislabelled", [*good_lines(RECORDS[:4]), line(6, RECORDS[4])]),
        ("Mislabelled", [*good_lines(RECORDS[:4]), line(5, RECORDS[4], OTHER)]),
        ("Malformed", [*good_lines(RECORDS[:4]), line(5, b"")]),
    ):
        path = bundle(tmp_path, lines)
        done = run(app, path, "--registry", registry, "--json")
        assert done.exit_code == 1
        row = json.loads(done.stdout)
        assert (row["ok"], row["verified"], row["line"], row["fault"]) == (False, 4, 5, fault)
        assert row["reason"]
        done = run(app, path, "--registry", registry)
        assert done.exit_code == 1
        assert fault in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "{}\n",
        "[]\n",
        "null\n",
        "[" * 4000 + "\n",
        '{"device": "zz", "sequence": 1, "record": "00"}\n',
        '{"device": "00", "sequence": "1", "record": "00"}\n',
        '{"device": "00", "sequence": 1, "record": "!"}\n',
        '{"device": "00", "sequence": 1, "record": 5}\n',
        '{"device": "00", "sequence": 1}\n',
        '{"device": "00", "sequence": 1, "record": "' + "00" * 4096 + '"}\n',
    ],
)
def test_files_that_are_no_bundles(app, registry, tmp_path, text):
    path = bundle(tmp_path, [text])
    done = run(app, path, "--registry", registry, "--json")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert str(path) in done.stderr


def test_files_that_are_not_there(app, registry, tmp_path):
    path = bundle(tmp_path, good_lines())
    assert run(app, tmp_path / "no file", "--registry", registry).exit_code == 2
    assert run(app, tmp_path, "--registry", registry).exit_code == 2
    assert run(app, path, "--registry", tmp_path / "no file").exit_code == 2
    assert run(app, path, "--registry", path).exit_code == 2
    assert run(app, path).exit_code == 2
