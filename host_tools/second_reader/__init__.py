"""The host's second reader of dice, of another kind than the device's, and whether the two agree.

SecondReader(profile, count).read(frames)   the fields of `tumbler read --json`
compare(fields, second)                     Agreement of the device's reading with it
"""

from host_tools.second_reader.agreement import Agreement, compare
from host_tools.second_reader.profile import Profile, ProfileError, load_profile
from host_tools.second_reader.reader import FrameError, SecondReader

__all__ = ["Agreement", "FrameError", "Profile", "ProfileError", "SecondReader", "compare", "load_profile"]
