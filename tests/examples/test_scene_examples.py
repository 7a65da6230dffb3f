"""The examples of docs/testers.md with scenes of the twin, as they stand there, and a reader to try."""

from host_tools.images import Frame
from host_tools.read.runtimes import read_uncalibrated


def my_reader(frames):
    """A tester's own reader stands here; this one knows a die's size and nothing of the machine."""
    read = read_uncalibrated(die_px=30, polarity="dark", count=3)
    return read([Frame(each.shape[1], each.shape[0], each.tobytes()) for each in frames])["verdict"]


def test_my_reader_refuses_a_leaning_die(tumbler_scenes):
    shot = tumbler_scenes(7, category="cocked", style="ivory_black", size="320x240")
    assert shot.label["must_refuse"]
    assert my_reader(shot.picture.frames) == "refused"
