"""The tester's words: one line each, as typed, piped or read from a file."""

from collections.abc import Awaitable, Callable

from host_tools.pins.bench import Bench
from host_tools.pins.pins import NoSuchPin
from host_tools.pins.rounds import Rounds, Tell

HELP = """\
set NAME 0|1          put an input at a level (1: what its name says is so)
pulse NAME MS         the other level for so long
stroke [US [MM_S]]    the platform strikes: width in us, speed in mm/s
free                  stroke gates held by `set` work again
shake MG MS           vibration in milli-g for so long
camera STATE          working, dead, short, stuck or dark
play                  begin the next round        result   wait for its end
wait MS               let so much board time pass
clear                 have the device check and clear its faults
cut                   cut the power               on       give it back
pins                  every input and output with its level
help                  this                        quit     end"""


class BadWords(ValueError):
    """The line is not understood; the message says what is wanted."""


class Words:
    """Carries out lines on `bench`; `tell` gets the answers. `ended` is set by "quit"."""

    def __init__(self, bench: Bench, rounds: Rounds, tell: Tell) -> None:
        self.ended = False
        self._bench = bench
        self._rounds = rounds
        self._tell = tell
        pins = bench.pins
        self._doing: dict[str, tuple[int, int, Callable[..., object]]] = {
            # word: fewest and most words after it, and what it does
            "set": (2, 2, lambda name, level: pins.set(name, _level(level))),
            "pulse": (2, 2, lambda name, ms: pins.pulse(name, _number(ms))),
            "stroke": (0, 2, lambda *numbers: pins.stroke(*map(_number, numbers))),
            "free": (0, 0, pins.free),
            "shake": (2, 2, lambda mg, ms: pins.shake(_number(mg), _number(ms))),
            "camera": (1, 1, pins.camera),
            "play": (0, 0, self._play),
            "result": (0, 0, rounds.end),
            "wait": (1, 1, lambda ms: bench.table.pass_time(_number(ms))),
            "clear": (0, 0, self._clear),
            "cut": (0, 0, bench.board.power_cut),
            "on": (0, 0, bench.board.power_on),
            "pins": (0, 0, self._tell_pins),
            "help": (0, 0, lambda: tell(HELP)),
            "quit": (0, 0, self._quit),
        }

    async def obey(self, line: str) -> None:
        """Carry out one line; an empty one and one that begins with # do nothing. Raises BadWords."""
        word, *rest = line.split("#", 1)[0].split() or [""]
        if not word:
            return
        if word not in self._doing:
            raise BadWords(f"{word!r} is not known; help tells the words")
        fewest, most, do = self._doing[word]
        if not fewest <= len(rest) <= most:
            raise BadWords(next(row for row in HELP.splitlines() if row.startswith(word)))
        try:
            done = do(*rest)
        except NoSuchPin as error:
            raise BadWords(str(error)) from None
        if isinstance(done, Awaitable):
            await done

    def _play(self) -> None:
        if not self._rounds.begin():
            raise BadWords("a round goes on; result waits for its end")

    async def _clear(self) -> None:
        for fact in self._bench.faults():
            self._tell(f"{fact}: {await self._bench.clear_fault(fact)}")

    def _tell_pins(self) -> None:
        pins = self._bench.pins
        for name in (*pins.inputs, *pins.outputs):
            self._tell(f"{name} {int(pins.level(name))}")

    def _quit(self) -> None:
        self.ended = True


def _number(word: str) -> int:
    if not word.isascii() or not word.isdigit() or not int(word):
        raise BadWords(f"a whole number above 0 is wanted, not {word!r}")
    return int(word)


def _level(word: str) -> bool:
    if word not in ("0", "1"):
        raise BadWords(f"a level is 0 or 1, not {word!r}")
    return word == "1"
