"""The CDDL (RFC 8610) of a record, from definitions.py."""

from tumbler import definitions as d

TYPES = {
    "uint": "uint",
    "bool": "bool",
    "text": f"tstr .size (0..{d.MAX_DETAIL})",
    "faces": "[3*3 face]",
    "strokes": "[* stroke]",
    "uints": "[* uint]",
}
ONE_A_DIE = {"tilts": "[3*3 uint]", "confidences": "[3*3 0..1000]"}
TABLES = {"mode": d.PLAY_MODES, "fact": d.FACTS, "channel": d.CHANNELS}

HEAD = f"""\
; A record of the tumbler: a COSE_Sign1 (RFC 9052) over deterministic CBOR (RFC 8949 4.2.1).
; Made from firmware/tumbler/definitions.py by tools/generate.py; edit that file, not this one.
; external_aad of the signature: '{d.RECORD_LABEL.decode()}'. A whole record is at most {d.MAX_RECORD} bytes.

record = #6.18([
  protected: bstr .cbor {{ 1: {d.COSE_ALGORITHM}, 4: bstr .size 8 }}, ; EdDSA, key id
  unprotected: {{}},
  payload: bstr .cbor payload,
  signature: bstr .size 64,
])
"""


def cddl_type(name):
    if name in ONE_A_DIE:
        return ONE_A_DIE[name]
    if name in TABLES:
        return name
    kind = d.RECORD_FIELDS[name][1]
    return f"bstr .size {kind[6:]}" if kind.startswith("bytes:") else TYPES[kind]


def member(name, optional=False, fixed=None):
    mark = "? " if optional else ""
    shown = cddl_type(name) if fixed is None else fixed
    return f"  {mark}{d.RECORD_FIELDS[name][0]}: {shown}, ; {name}"


def record_map(kind):
    number, required, optional = d.RECORD_KINDS[kind]
    fixed = {"version": d.PROTOCOL_VERSION, "kind": number}
    if kind == "void":
        fixed["fact"] = "void-fact"
    lines = [member(name, fixed=fixed.get(name)) for name in d.COMMON_FIELDS + required]
    lines += [member(name, optional=True) for name in (*optional, "wall_ms")]
    lines.sort(key=lambda line: int(line.strip(" ?").split(":")[0]))
    return "\n".join([f"{kind} = {{", *lines, "}"])


def choice(name, table):
    return "\n".join([f"{name} = &("] + [f"  {entry}: {number}," for entry, number in table.items()] + [")"])


def text():
    parts = [HEAD, "payload = " + " / ".join(d.RECORD_KINDS) + "\n"]
    parts += [record_map(kind) + "\n" for kind in d.RECORD_KINDS]
    parts += ["face = 1..6", "stroke = [width_us: uint, speed_mm_s: uint]\n"]
    parts += [choice(name, table) + "\n" for name, table in TABLES.items()]
    parts.append(choice("void-fact", {name: d.FACTS[name] for name in d.VOID_FACTS}))
    return "\n".join(parts) + "\n"
