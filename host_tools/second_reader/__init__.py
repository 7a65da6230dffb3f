"""The host's second reader of dice, of another kind than the device's, and whether the two agree.

SecondReader(profile, count).read(frames)   the fields of `tumbler read --json`
compare(fields, second)                     Agreement of the device's reading with it
"""

from host_tools.second_reader.agreement import Agreement, compare
from host_tools.second_reader.reader import SecondReader

__all__ = ["Agreement", "SecondReader", "compare"]
