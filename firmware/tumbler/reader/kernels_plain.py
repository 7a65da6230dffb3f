# ruff: noqa: PLR1730 (calling min or max costs MicroPython more than a comparison)
"""The reader's innermost loops for any interpreter; kernels_viper.py has the same in viper.

Planes, frames and small frames are bytes, a level each. `at` is the first index and `end` the one after the
last; there is none when `end` is not above `at`. No value leaves a small integer of 31 bits.
"""


def fill(plane, at, end, value):
    """Set levels."""
    for i in range(at, end):
        plane[i] = value


def merge(low, high, frame, at, end, source):
    """Keep the darkest in low[at:end] and the brightest in high[at:end] of theirs and of frame[source:]."""
    source -= at
    for i in range(at, end):
        value = frame[source + i]
        if value < low[i]:
            low[i] = value
        if value > high[i]:
            high[i] = value


def shrink(small, at, frame, source, end, step):
    """Copy every so many levels of frame[source:end] to small[at:]."""
    for i in range(source, end, step):
        small[at] = frame[i]
        at += 1


def count_levels(counts, plane, at, end, least):
    """Add the levels of `least` and more to the counts, an array of 256 of 32 bits; how many there are."""
    total = 0
    for i in range(at, end):
        value = plane[i]
        if value >= least:
            counts[value] += 1
            total += 1
    return total


def count_lights(plane, at, end, least):
    """How many levels are `least` or more."""
    total = 0
    for i in range(at, end):
        if plane[i] >= least:
            total += 1
    return total


def sum_over(plane, at, end, step, floor):
    """The sum of what every so many levels, those above `floor`, have over it."""
    total = 0
    for i in range(at, end, step):
        if plane[i] > floor:
            total += plane[i] - floor
    return total


def next_inside(plane, at, end, low, high):
    """Index of the first level with low <= level < high; `end`, or `at` above it, when there is none."""
    while at < end and not low <= plane[at] < high:
        at += 1
    return at


def next_outside(plane, at, end, low, high):
    """Index of the first level for which low <= level < high is not so; `end`, or `at` above it."""
    while at < end and low <= plane[at] < high:
        at += 1
    return at


def next_under(plane, at, end, step, limit):
    """Index of the first level below `limit`, looked for in steps from `at`; `end` or more when none is."""
    while at < end and plane[at] >= limit:
        at += step
    return at


def next_pit(plane, at, end, columns, limit):
    """Index of the first level below `limit` with no darker one left, right, above or below it; `end`, or
    `at` above it, when there is none. The plane has a level on all four sides of each of them."""
    while at < end:
        value = plane[at]
        if (
            value < limit
            and value <= plane[at - 1]
            and value <= plane[at - columns]
            and value <= plane[at + 1]
            and value <= plane[at + columns]
        ):
            break
        at += 1
    return at


def next_valley(plane, at, end, columns, aside, percent):
    """Index of the first level below `percent` of both levels `aside` pixels left and right of it, or above
    and below it; `end`, or `at` above it, when there is none. The plane has all of these levels."""
    below = aside * columns
    while at < end:
        value = plane[at] * 100
        if (value < plane[at - aside] * percent and value < plane[at + aside] * percent) or (
            value < plane[at - below] * percent and value < plane[at + below] * percent
        ):
            break
        at += 1
    return at


def steepest(plane, at, end):
    """The largest difference of two levels two apart, the first of which lies in at..end."""
    most = 0
    for i in range(at, end):
        step = plane[i] - plane[i + 2]
        if step < 0:
            step = -step
        if step > most:
            most = step
    return most


def translate(plane, at, end, table):
    """Put table[level] in place of each level."""
    for i in range(at, end):
        plane[i] = table[plane[i]]


def score(plane, size, columns, at, ring, points, cut, most):
    """Dark points outside a ring that is light all round; -1 when more than `most` of its own are dark.

    size: of the plane, beyond which all is dark; at: index of the middle; ring: 16-bit offsets x, y of
    `points` points of the ring, then of as many outside it; dark is below `cut`.
    """
    dark = 0
    for i in range(0, 2 * points, 2):
        j = at + ring[i + 1] * columns + ring[i]
        if not 0 <= j < size or plane[j] < cut:
            dark += 1
    if dark > most:
        return -1
    dark = 0
    for i in range(2 * points, 4 * points, 2):
        j = at + ring[i + 1] * columns + ring[i]
        if not 0 <= j < size or plane[j] < cut:
            dark += 1
    return dark


def level(plane, columns, x, y):
    """The level between four pixels, in 1024ths; x and y in 32nds of a pixel."""
    i = (y >> 5) * columns + (x >> 5)
    x &= 31
    y &= 31
    upper = plane[i] * (32 - x) + plane[i + 1] * x
    i += columns
    lower = plane[i] * (32 - x) + plane[i + 1] * x
    return upper * (32 - y) + lower * y


def turn(face, size, plane, columns, x, y, right, down, most, share):
    """Add to a square of size x size places what the plane shows there, `share` where it is `most`
    1024ths of a level or more.

    x, y: of the first place, and right, down: from one place of a row to the next, in 4096ths of a pixel;
    each place lies between four pixels of the plane.
    """
    at = 0
    for row in range(size):
        place_x = x - row * down
        place_y = y + row * right
        for _ in range(size):
            i = (place_y >> 12) * columns + (place_x >> 12)
            across = place_x >> 7 & 31
            upper = plane[i] * (32 - across) + plane[i + 1] * across
            i += columns
            lower = plane[i] * (32 - across) + plane[i + 1] * across
            across = place_y >> 7 & 31
            value = upper * (32 - across) + lower * across
            face[at] += share if value >= most else value * share // most
            place_x += right
            place_y += down
            at += 1


def dim_way(face, size, along, across, aside, deepest, way):
    """The most that a way over a square of places lacks: the sum, over one place in each of its columns, of
    how much darker that is than both places `aside` beyond it in the column, at most `deepest` each; one
    of the three that is 255 tells nothing, and nothing lacks there.

    along, across: to the next column and to the next place in it; from one column to the next the way goes
    at most one place aside. way: array of 2 * size of 32 bits, to work in.
    """
    for i in range(2 * size):
        way[i] = 0
    before = 0
    after = size
    away = aside * across
    for column in range(size):
        at = column * along + away
        for i in range(aside, size - aside):
            here, beside, other = face[at], face[at - away], face[at + away]
            if other < beside:
                beside, other = other, beside
            depth = 255
            if here < 255 and other < 255:
                depth += beside - here
            if depth > 255 + deepest:
                depth = 255 + deepest
            best = way[before + i]
            if way[before + i - 1] > best:
                best = way[before + i - 1]
            if way[before + i + 1] > best:
                best = way[before + i + 1]
            way[after + i] = best + depth
            at += across
        before, after = after, before
    most = 0
    for i in range(before + aside, before + size - aside):
        if way[i] > most:
            most = way[i]
    return most - 255 * size
