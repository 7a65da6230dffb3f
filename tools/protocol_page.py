"""docs/protocol.md: how device and host talk, and the tables of definitions.py for people."""

from tumbler import definitions as d
from tumbler.rtt import FIRST_MS, LEAST_MS, LONGEST_MS


def names(fields):
    return ", ".join(f"`{name}`" for name in fields) or "none"


INTRODUCTION = f"""\
# The protocol between tumbler and host

Made from `firmware/tumbler/definitions.py` by `tools/generate.py`; edit those, not this page. Version
{d.PROTOCOL_VERSION}, schema `{d.schema_digest().hex()}`.

The device reports facts as signed records; the host verifies and commits them, and sends commands.
Records are evidence and outlive the link; every other message serves the moment.

## Frames

The line is a UART, 8 data bits, no parity, 1 stop bit, 115200 baud unless the board's configuration says
otherwise. A frame is

    0x00  COBS( type  session  body  CRC-32 )  0x00

- `type` is one byte, `session` four bytes big-endian.
- The CRC-32 is the one of zlib, over type, session and body, four bytes big-endian.
- COBS (Cheshire and Baker, 1999) keeps zero bytes out of the frame, so a receiver that lost its place
  finds the next frame at the next zero byte. Empty frames between two zeros mean nothing.
- A frame with a wrong CRC, a body above {d.MAX_BODY} bytes or a malformed body is dropped without any
  effect. Repetition, not repair, makes up for it.

A body is a CBOR map with integer keys in deterministic form (RFC 8949 4.2.1); other forms are malformed.
Only RECORD differs: its body is the record's sequence, eight bytes big-endian, and the record as stored.

## Conversations

A line may keep a frame for long, and damage, double or repeat it. So every frame is dated: it carries the
number of its *session*, which is one conversation of one host with one boot of the device, and frames of
another session are dropped, whatever they say. What a host learns or commands in a conversation is of after
its beginning; what was on its way before has no effect any more.

1. GREET (host, session 0) opens a conversation with a `greeting`, a random number of the host, new after each
   loss of the device and in each life of the host's process. A device that does not have this greeting yet
   gives it the next session number, at first a random one of the boot; then all that it had to say in the
   session before is forgotten. A late copy of the greeting that it has changes nothing.
2. HELLO (device) repeats the `greeting` that it answers, 0 for none since the boot, and says who it is, which
   protocol versions and which definitions it has, and which records its journal holds. It is repeated until
   the host answers. The host welcomes it only if the greeting is its own of now; to any other HELLO, as the
   one of a device that has been restarted, it says GREET.
3. WELCOME (host) names the newest record that the host has committed, with its SHA-256, and the time of
   day. The device compares the hash with its journal: a host that committed something else is not served.
4. The device sends its records from the one after `committed` on.

Within a boot session numbers count up (past 2**32 - 1 to 1), so of two HELLOs that answer one greeting, the
one of the later boot or session is the newer one.

The host refuses a device whose schema differs, so nothing is ever misread for want of an update.

## Acknowledgement

Records are sent in order, at most {d.SEND_WINDOW} before an answer (go-back-N). ACK says up to which
sequence the host has *committed*: verified, and durably in its ledger. It never precedes the commit. NAK
names the sequence the host expects and the device goes back to it. Without an answer the device repeats.

The device keeps a record until it is acknowledged. A repeated record is the same bytes: it was signed
once. So whatever is lost, repeated or rebooted, each record is committed once and in order.

## Commands and their authentication

What moves records or the machine ({names(d.SEALED)}) is authentic; it carries

    mac = first {d.MAC_BYTES} bytes of HMAC-SHA-256(host key,
            "{d.SEAL_LABEL.decode()}"  type (1 byte)  session (4 bytes)  CBOR of the map without mac)

The host key is made when the device is provisioned. The session number is part of the input, so nothing old
works in a later conversation: no acknowledgement can be forged for a record that nobody has, and none
replayed. Within a session an old ACK moves nothing back or on. NAK, PING and GREET are not sealed: they cost
at most a repetition.

COMMAND carries an `id` that grows within the boot, the command's number and its arguments. The device answers
every command with REPLY. A command with the `id` and the contents of an earlier one gets the stored reply and
does nothing again, also in another conversation, for which the host seals it anew; any other `id` that is not
above the newest is refused. While the device writes its flash it may lose input, so the host sends nothing
between a command and its reply, neither acknowledgement nor question, until the command itself must be
repeated.

STATUS, on a PING or a change, is not signed: it is for displays, and for what a host does next, never for
money. It is of one moment, `last` included, and no two of a boot have the same `uptime_ms`: the host drops
one that another has overtaken.

## Timeouts

Each side measures how long the other takes (RFC 6298): the device from the last byte of a record to its
acknowledgement, the host from a command or question to its answer; what was sent twice measures nothing
(Karn). It waits for the smoothed time and four deviations, at first {FIRST_MS} ms, at least {LEAST_MS} ms on
the device and 700 ms on the host (above a signature and a flash erase), and twice as long after each silence,
up to {LONGEST_MS} ms. Nobody gives up.

## Questions

RECALL, INSPECT and FETCH change nothing, so anyone on the line may ask them, welcomed or not, also while a
fault is latched and while the records are withheld as a fork. Answers wait until no record or reply does.

- RECALL gets a kept record again, as it was signed; the asker verifies it with the public key.
- INSPECT gets the device's counters, one for each kind of error.
- FETCH gets frames of the newest scene, whose SHA-256 is a record's `frames`, from any offset, in pieces
  of at most {d.EVIDENCE_CHUNK} bytes. `total` 0 says that they are not kept. HELLO's `evidence` says how many
  bytes a device keeps. They stay in RAM until the next scene or a power cut. A board without room for a
  scene, or whose sensor module shows no frames, keeps none.

## Several devices on one line

On RS-485 a device speaks only in its turn: POLL (host, session 0) names it and grants a `count` of frames,
the last of which is DONE. It waits a guard interval first, does not use a POLL that may have waited unread,
and drops the frames of other devices and its own echo. GREET then names the device that is meant.

## Records

A record is a COSE_Sign1 (RFC 9052), tag 18, of at most {d.MAX_RECORD} bytes:

- protected header `{{1: {d.COSE_ALGORITHM}, 4: key id}}`: EdDSA with Ed25519 (RFC 9053 2.2); the key id
  is the first 8 bytes of the public key's SHA-256;
- unprotected header: empty;
- payload: a CBOR map in deterministic form, below; `records.cddl` has it in CDDL (RFC 8610);
- signature: over the Sig_structure of RFC 9052 4.4 with external_aad `"{d.RECORD_LABEL.decode()}"`.

Any COSE library verifies one. What it does not see is the chain, which the host checks before it commits:

- `sequence` is one above the committed record's, the first record has 1;
- `previous` is the SHA-256 of the complete committed record, 32 zero bytes for the first;
- `boot` never falls, and rises only in a boot record;
- a second record with a committed sequence is a replay when its bytes are the same; otherwise the device
  signed two truths and is taken out of service;
- what the device's key has not signed, or a frame that holds another record than it says, is dropped and
  asked for again, however often it comes: a CRC is no authentication. A device that has no other record to
  send in its place is out of service while it claims one (after 60 s), and no longer;
- the device is registered, and the key is the one it proved to hold when it was registered. Keys do not
  change inside a chain: a key-change record is refused, and the device is provisioned anew as another
  device. A record that names the next key would be no safer than the key that signs it: who has stolen that
  could name one of his own and take the chain with him. A new ceremony has fresh entropy of the host, a
  proof of possession and a witness, and ends the old chain at a sequence that the registry knows.

A hash chain does not show that its newest records are missing: keep the newest acknowledged head
elsewhere too.
"""


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def numbers(title, text, entries):
    return f"### {title}\n\n{text}\n\n" + table(
        ("number", "name"), [(n, f"`{name}`") for name, n in entries.items()]
    )


def record_tables():
    fields = [(key, f"`{name}`", kind) for name, (key, kind) in d.RECORD_FIELDS.items()]
    kinds = [
        (number, f"`{kind}`", names(required), names(optional))
        for kind, (number, required, optional) in d.RECORD_KINDS.items()
    ]
    return [
        "### Record fields\n\n"
        "`faces` are three numbers 1 to 6; `strokes` are pairs of width in us and speed in mm/s;\n"
        "`tilts` are tenths of a degree and `confidences` thousandths, one a die in the order of `faces`:\n"
        "the reader's are the share of dice read like this one that was at least right and sound\n"
        "([confidence.md](confidence.md)), a sensor module's are its own, 0 where it tells none;\n"
        f"a text has at most {d.MAX_DETAIL} bytes of UTF-8; `frames` is the SHA-256 of the frames read,\n"
        "lamp 0 first.\n\n" + table(("key", "field", "type"), fields),
        f"### Record kinds\n\nEvery record has {names(d.COMMON_FIELDS)}, and may have `wall_ms`.\n\n"
        + table(("number", "kind", "requires", "may have"), kinds),
    ]


def message_tables():
    rows = [(f"0x{byte:02x}", f"`{name}`", sender) for name, (byte, sender, _, _) in d.MESSAGES.items()]
    parts = ["### Messages\n\n" + table(("type", "message", "sender"), rows)]
    for name, (_, _, fields, required) in d.MESSAGES.items():
        if fields:
            rows = [
                (key, f"`{field}`", kind, "yes" if field in required else "no")
                for field, (key, kind) in fields.items()
            ]
            parts.append(f"#### {name}\n\n" + table(("key", "field", "type", "required"), rows))
    return parts


def command_table():
    rows = [(number, f"`{name}`", names(arguments)) for name, (number, arguments) in d.COMMANDS.items()]
    return "### Commands\n\n" + table(("number", "command", "arguments"), rows)


def fact_table():
    rows = [
        (
            number,
            f"`{name}`",
            "yes" if name in d.VOID_FACTS else "",
            "yes" if name in d.READER_FACTS else "",
            "yes" if name in d.LATCHING_FACTS else "",
        )
        for name, number in d.FACTS.items()
    ]
    text = (
        "Why a round is void, or which fault the device has. A fault that latches survives power cycles and\n"
        "is cleared by command, after the device has checked again.\n\n"
    )
    return (
        "### Facts\n\n"
        + text
        + table(("number", "fact", "voids a round", "from the reader", "latches"), rows)
    )


def text():
    """The page."""
    parts = [INTRODUCTION, "## Tables\n", *record_tables(), fact_table()]
    parts += [
        numbers("Play modes", "Covered: tumble, then wagers. Open: wagers, then tumble.", d.PLAY_MODES),
        numbers(
            "Channels", "Sensors of the enclosure; a level of true means what the name says.", d.CHANNELS
        ),
        *message_tables(),
        command_table(),
        numbers("Reply statuses", "What became of a command.", d.REPLY_STATUSES),
        numbers("Device states", "What the device is doing, in REPLY and STATUS.", d.DEVICE_STATES),
    ]
    return "\n".join(parts)
