"""The reader's kernels, plain and in viper where there is it: on random buffers and at borders."""

import unittest
from array import array

from tumbler.reader import kernels, kernels_plain

try:
    from tumbler.reader import kernels_viper
except (ImportError, SyntaxError, NameError, ValueError):
    kernels_viper = None

TWINS = (kernels_plain,) if kernels_viper is None else (kernels_plain, kernels_viper)
CASES = 300


class Random:
    """The same numbers on every interpreter; none is above 31 bits on the way."""

    def __init__(self, seed):
        self._state = seed

    def below(self, limit):
        self._state = (self._state * 75 + 74) % 65537
        high = self._state
        self._state = (self._state * 75 + 74) % 65537
        return (high << 13 ^ self._state) % limit

    def levels(self, count):
        """Bytes of all levels, of few levels, or of the two extremes."""
        choice = (256, 4, 2)[self.below(3)]
        step = 255 // (choice - 1)
        return bytearray([self.below(choice) * step for _ in range(count)])

    def cut(self, plane):
        """A limit of levels, often one that is in the plane."""
        return self.below(257) if self.below(2) else plane[self.below(len(plane))]

    def span(self, count):
        """First index and end in 0..count, often the whole, nothing or the wrong way."""
        if self.below(8) == 0:
            return 0, count
        return self.below(count + 1), self.below(count + 1)


def cases(seed):
    for case in range(CASES):
        yield Random(seed * 1000 + case + 1)


def ways(face, size, along, across, aside, deepest, column=0, before=None):
    """What each way over a square lacks, from a column on."""
    if column == size:
        yield 0
        return
    for place in range(aside, size - aside):
        if before is None or abs(place - before) <= 1:
            at = column * along + place * across
            beside = face[at - aside * across], face[at + aside * across]
            is_told = max(face[at], *beside) < 255
            lack = min(min(beside) - face[at], deepest) if is_told else 0
            for rest in ways(face, size, along, across, aside, deepest, column + 1, place):
                yield lack + rest


class KernelsTest(unittest.TestCase):
    def test_the_fastest_twin_is_chosen(self):
        self.assertTrue(kernels.merge is TWINS[-1].merge)

    def test_both_twins_offer_the_same(self):
        for twin in TWINS:
            for name in dir(kernels):
                self.assertTrue(name.startswith("_") or callable(getattr(twin, name)))

    def test_fill_sets_these_levels_and_no_other(self):
        for twin in TWINS:
            for random in cases(1):
                plane = random.levels(1 + random.below(60))
                before = bytes(plane)
                at, end = random.span(len(plane))
                value = random.below(256)
                twin.fill(plane, at, end, value)
                for i, level in enumerate(plane):
                    self.assertEqual(level, value if at <= i < end else before[i])

    def test_merge_keeps_the_darkest_and_the_brightest(self):
        for twin in TWINS:
            for random in cases(2):
                low = random.levels(40)
                high = random.levels(40)
                before_low, before_high = bytes(low), bytes(high)
                at, end = random.span(40)
                source = random.below(20)
                frame = bytes(random.levels(source + max(0, end - at)))
                twin.merge(low, high, frame, at, end, source)
                for i in range(40):
                    taken = [frame[source + i - at]] if at <= i < end else []
                    self.assertEqual(low[i], min([before_low[i]] + taken))
                    self.assertEqual(high[i], max([before_high[i]] + taken))

    def test_shrink_takes_every_so_many(self):
        for twin in TWINS:
            for random in cases(3):
                frame = bytes(random.levels(50))
                source, end = random.span(50)
                step = 1 + random.below(4)
                wanted = [frame[i] for i in range(source, end, step)]
                at = random.below(5)
                small = bytearray(at + len(wanted) + 3)
                twin.shrink(small, at, frame, source, end, step)
                self.assertEqual(list(small), [0] * at + wanted + [0] * 3)

    def test_count_levels_adds_to_the_counts(self):
        for twin in TWINS:
            for random in cases(4):
                plane = random.levels(50)
                at, end = random.span(50)
                least = random.cut(plane)
                counts = array("i", bytes(4 * 256))
                counts[255] = 70000
                kept = [level for level in plane[at : max(at, end)] if level >= least]
                self.assertEqual(twin.count_levels(counts, plane, at, end, least), len(kept))
                for level in range(256):
                    more = 70000 if level == 255 else 0
                    self.assertEqual(counts[level], more + len([1 for other in kept if other == level]))

    def test_count_lights(self):
        for twin in TWINS:
            for random in cases(5):
                plane = random.levels(50)
                at, end = random.span(50)
                least = random.cut(plane)
                wanted = len([1 for i in range(at, end) if plane[i] >= least])
                self.assertEqual(twin.count_lights(plane, at, end, least), wanted)

    def test_sum_over(self):
        for twin in TWINS:
            for random in cases(14):
                plane = random.levels(50)
                at, end = random.span(50)
                floor = random.cut(plane)
                step = 1 + random.below(9)
                wanted = sum([max(0, plane[i] - floor) for i in range(at, end, step)])
                self.assertEqual(twin.sum_over(plane, at, end, step, floor), wanted)

    def test_next_inside_and_next_outside_find_the_ends_of_runs(self):
        for twin in TWINS:
            for random in cases(6):
                plane = random.levels(50)
                at, end = random.span(50)
                low, high = random.cut(plane), random.cut(plane)
                inside = [i for i in range(at, end) if low <= plane[i] < high]
                outside = [i for i in range(at, end) if not low <= plane[i] < high]
                none = max(at, end)
                self.assertEqual(twin.next_inside(plane, at, end, low, high), (inside + [none])[0])
                self.assertEqual(twin.next_outside(plane, at, end, low, high), (outside + [none])[0])

    def test_next_under_looks_in_steps(self):
        for twin in TWINS:
            for random in cases(7):
                plane = random.levels(50)
                at, end = random.span(50)
                step = 1 + random.below(4)
                limit = random.cut(plane)
                found = [i for i in range(at, end, step) if plane[i] < limit]
                answer = twin.next_under(plane, at, end, step, limit)
                if found:
                    self.assertEqual(answer, found[0])
                else:
                    self.assertTrue(answer >= end)

    def test_next_pit_has_no_darker_neighbour(self):
        for twin in TWINS:
            for random in cases(8):
                columns = 3 + random.below(8)
                rows = 3 + random.below(4)
                plane = random.levels(columns * rows)
                row = 1 + random.below(rows - 2)
                at = row * columns + 1 + random.below(columns - 2)
                end = row * columns + columns - 1
                limit = random.cut(plane)
                found = []
                for i in range(at, end):
                    around = [plane[i - 1], plane[i + 1], plane[i - columns], plane[i + columns]]
                    if plane[i] < limit and plane[i] <= min(around):
                        found.append(i)
                self.assertEqual(twin.next_pit(plane, at, end, columns, limit), (found + [end])[0])

    def test_next_valley_is_darker_than_both_sides(self):
        for twin in TWINS:
            for random in cases(12):
                aside = 1 + random.below(3)
                columns = 2 * aside + 1 + random.below(8)
                rows = 2 * aside + 1 + random.below(4)
                plane = random.levels(columns * rows)
                row = (aside + random.below(rows - 2 * aside)) * columns
                at, end = row + aside + random.below(columns - 2 * aside), row + columns - aside
                percent = 1 + random.below(130)
                found = []
                for i in range(at, end):
                    across = min(plane[i - aside], plane[i + aside])
                    along = min(plane[i - aside * columns], plane[i + aside * columns])
                    if plane[i] * 100 < max(across, along) * percent:
                        found.append(i)
                answer = twin.next_valley(plane, at, end, columns, aside, percent)
                self.assertEqual(answer, (found + [end])[0])

    def test_steepest_is_the_largest_step_of_two(self):
        for twin in TWINS:
            for random in cases(9):
                plane = random.levels(50)
                at, end = random.span(48)
                steps = [abs(plane[i] - plane[i + 2]) for i in range(at, end)]
                self.assertEqual(twin.steepest(plane, at, end), max([0] + steps))

    def test_translate_puts_the_table_s_levels_and_leaves_the_rest(self):
        for twin in TWINS:
            for random in cases(12):
                plane = random.levels(50)
                before = bytes(plane)
                table = bytes([random.below(256) for _ in range(256)])
                at, end = random.span(50)
                twin.translate(plane, at, end, table)
                for i, level in enumerate(plane):
                    self.assertEqual(level, table[before[i]] if at <= i < end else before[i])

    def test_score_takes_what_is_off_the_plane_for_dark(self):
        for twin in TWINS:
            for random in cases(10):
                columns = 1 + random.below(20)
                plane = random.levels(columns * (1 + random.below(20)))
                size = 1 + random.below(len(plane))
                points = 1 + random.below(12)
                ring = array("h", [random.below(41) - 20 for _ in range(4 * points)])
                at = random.below(size)
                cut = random.cut(plane)
                most = random.below(points + 1)
                dark = []
                for k in range(2 * points):
                    i = at + ring[2 * k + 1] * columns + ring[2 * k]
                    dark.append(0 if 0 <= i < size and plane[i] >= cut else 1)
                wanted = sum(dark[points:]) if sum(dark[:points]) <= most else -1
                answer = twin.score(plane, size, columns, at, ring, points, cut, most)
                self.assertEqual(answer, wanted)

    def test_level_between_pixels(self):
        for twin in TWINS:
            for random in cases(11):
                columns = 2 + random.below(20)
                rows = 2 + random.below(20)
                plane = random.levels(columns * rows)
                column, row = random.below(columns - 1), random.below(rows - 1)
                x, y = random.below(32), random.below(32)
                corners = [plane[(row + dy) * columns + column + dx] for dy in (0, 1) for dx in (0, 1)]
                shares = [(32 - x) * (32 - y), x * (32 - y), (32 - x) * y, x * y]
                wanted = sum([level * share for level, share in zip(corners, shares)])
                self.assertEqual(twin.level(plane, columns, column * 32 + x, row * 32 + y), wanted)

    def test_turn_adds_what_a_plane_shows_along_rows_of_its_own(self):
        for twin in TWINS:
            for random in cases(13):
                plane = random.levels(30 * 30)
                size = 2 + random.below(6)
                right, down = random.below(6000) - 3000, random.below(6000) - 3000
                x, y = 14 * 4096 + random.below(4096), 14 * 4096 + random.below(4096)
                most, share = 1 + random.below(255 * 1024), 1 + random.below(120)
                face = bytearray([random.below(120) for _ in range(size * size)])
                wanted = []
                for i, before in enumerate(face):
                    row, column = i // size, i % size
                    at_x = x + column * right - row * down
                    at_y = y + column * down + row * right
                    at = at_y // 4096 * 30 + at_x // 4096
                    across, along = at_x % 4096 // 128, at_y % 4096 // 128
                    upper = plane[at] * (32 - across) + plane[at + 1] * across
                    lower = plane[at + 30] * (32 - across) + plane[at + 31] * across
                    level = upper * (32 - along) + lower * along
                    wanted.append(before + min(level, most) * share // most)
                twin.turn(face, size, plane, 30, x, y, right, down, most, share)
                self.assertEqual(list(face), wanted)

    def test_dim_way_is_the_dimmest_of_all_ways(self):
        for twin in TWINS:
            for random in cases(14):
                size = 3 + random.below(4)
                aside = 1 if size < 5 else 1 + random.below(2)
                face = random.levels(size * size)
                deepest = random.below(256)
                way = array("i", bytes(8 * size))
                for along, across in ((1, size), (size, 1)):
                    wanted = max(ways(face, size, along, across, aside, deepest))
                    answer = twin.dim_way(face, size, along, across, aside, deepest, way)
                    self.assertEqual(answer, wanted)

    def test_whole_frames_of_the_largest_size(self):
        """Indices above 16 bits, counts above 16 bits, the brightest levels between pixels."""
        size = 320 * 240
        for twin in TWINS:
            plane = bytearray(size)
            twin.fill(plane, 0, size, 255)
            plane[size - 1] = 7
            self.assertEqual(twin.next_under(plane, 0, size, 1, 255), size - 1)
            self.assertEqual(twin.count_lights(plane, 0, size, 255), size - 1)
            counts = array("i", bytes(4 * 256))
            self.assertEqual(twin.count_levels(counts, plane, 0, size, 0), size)
            self.assertEqual((counts[255], counts[7], sum(counts)), (size - 1, 1, size))
            self.assertEqual(twin.level(plane, 320, 318 * 32, 237 * 32 + 31), 255 * 1024)
            self.assertEqual(twin.level(plane, 320, 318 * 32 + 31, 238 * 32 + 31), 255 * 1024 - 248 * 31 * 31)
