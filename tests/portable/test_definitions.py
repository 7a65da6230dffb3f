"""The definitions hold together, and every interpreter sees the same ones."""

import unittest

from tumbler import definitions as d

# A new one is a new protocol to each peer: change it knowingly.
SCHEMA_DIGEST = b"\xe5\x05\x84\xc4\xff\x08\xeb\x56"


def numbers_of(table):
    return sorted(entry[0] if isinstance(entry, tuple) else entry for entry in table.values())


class Definitions(unittest.TestCase):
    def test_numbers_are_unique(self):
        for table in (
            d.RECORD_FIELDS,
            d.RECORD_KINDS,
            d.PLAY_MODES,
            d.FACTS,
            d.CHANNELS,
            d.MESSAGES,
            d.COMMANDS,
            d.REPLY_STATUSES,
            d.DEVICE_STATES,
        ):
            numbers = numbers_of(table)
            self.assertEqual(len(numbers), len(set(numbers)), numbers)

    def test_record_keys_take_one_byte(self):
        for number in numbers_of(d.RECORD_FIELDS):
            self.assertTrue(0 <= number < 24, number)

    def test_message_keys_are_unique_and_take_one_byte(self):
        for name, (_, sender, fields, required) in d.MESSAGES.items():
            self.assertIn(sender, ("device", "host"))
            if fields is None:
                self.assertEqual(name, "record")
                continue
            numbers = numbers_of(fields)
            self.assertEqual(len(numbers), len(set(numbers)), name)
            self.assertTrue(all(0 <= number < 24 for number in numbers), name)
            for field in required:
                self.assertIn(field, fields)

    def test_kinds_use_defined_fields_once(self):
        for kind, (_, required, optional) in d.RECORD_KINDS.items():
            names = d.COMMON_FIELDS + required + optional + ("wall_ms",)
            self.assertEqual(len(names), len(set(names)), kind)
            for name in names:
                self.assertIn(name, d.RECORD_FIELDS)

    def test_fact_groups_are_facts(self):
        for name in d.VOID_FACTS + d.READER_FACTS + d.LATCHING_FACTS:
            self.assertIn(name, d.FACTS)
        self.assertEqual(len(d.VOID_FACTS), 18)
        self.assertIn("host-void", d.VOID_FACTS)
        self.assertFalse("memory-fault" in d.VOID_FACTS)
        for name in d.READER_FACTS:
            self.assertIn(name, d.VOID_FACTS)

    def test_command_arguments_are_fields_of_the_message(self):
        fields = d.MESSAGES["command"][2]
        for arguments in [entry[1] for entry in d.COMMANDS.values()]:
            for name in arguments:
                self.assertIn(name, fields)

    def test_types_of_messages_part_into_device_and_host(self):
        self.assertEqual(len(d.DEVICE_TYPES) + len(d.HOST_TYPES), len(d.MESSAGES))
        self.assertEqual(d.DEVICE_TYPES["record"], 2)
        self.assertEqual(d.HOST_TYPES["command"], 0x14)

    def test_name_of(self):
        self.assertEqual(d.name_of(d.FACTS, 13), "tilted")
        self.assertEqual(d.name_of(d.RECORD_KINDS, 5), "reading")
        self.assertEqual(d.name_of(d.RECORD_FIELDS, 5), "previous")
        self.assertIsNone(d.name_of(d.FACTS, 0))

    def test_schema_digest_is_the_same_everywhere(self):
        self.assertEqual(d.schema_digest(), SCHEMA_DIGEST)
