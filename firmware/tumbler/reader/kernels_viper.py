# ruff: noqa: F821, PLR1730 (viper's types are names of the MicroPython compiler; it knows no min)
# pyright: reportUndefinedVariable=false, reportOperatorIssue=false, reportIndexIssue=false
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportAttributeAccessIssue=false
# pyright: reportOptionalSubscript=false, reportArgumentType=false, reportReturnType=false
"""The reader's innermost loops in viper; kernels_plain.py says what each does.

A viper integer has 32 bits on a board and 64 on a PC: every value stays below 2^30, so both give the same.
What is read through a pointer has no sign: 16-bit offsets get theirs back here.
"""

import micropython


@micropython.viper
def fill(plane: ptr8, at: int, end: int, value: int):
    while at < end:
        plane[at] = value
        at += 1


@micropython.viper
def merge(low: ptr8, high: ptr8, frame: ptr8, at: int, end: int, source: int):
    while at < end:
        value = frame[source]
        if value < low[at]:
            low[at] = value
        if value > high[at]:
            high[at] = value
        at += 1
        source += 1


@micropython.viper
def shrink(small: ptr8, at: int, frame: ptr8, source: int, end: int, step: int):
    while source < end:
        small[at] = frame[source]
        at += 1
        source += step


@micropython.viper
def count_levels(counts: ptr32, plane: ptr8, at: int, end: int, least: int) -> int:
    total = 0
    while at < end:
        value = plane[at]
        if value >= least:
            counts[value] += 1
            total += 1
        at += 1
    return total


@micropython.viper
def count_lights(plane: ptr8, at: int, end: int, least: int) -> int:
    total = 0
    while at < end:
        if plane[at] >= least:
            total += 1
        at += 1
    return total


@micropython.viper
def sum_over(plane: ptr8, at: int, end: int, step: int, floor: int) -> int:
    total = 0
    while at < end:
        value = plane[at]
        if value > floor:
            total += value - floor
        at += step
    return total


@micropython.viper
def next_inside(plane: ptr8, at: int, end: int, low: int, high: int) -> int:
    while at < end:
        value = plane[at]
        if value >= low and value < high:
            break
        at += 1
    return at


@micropython.viper
def next_outside(plane: ptr8, at: int, end: int, low: int, high: int) -> int:
    while at < end:
        value = plane[at]
        if value < low or value >= high:
            break
        at += 1
    return at


@micropython.viper
def next_under(plane: ptr8, at: int, end: int, step: int, limit: int) -> int:
    while at < end:
        if plane[at] < limit:
            break
        at += step
    return at


@micropython.viper
def next_pit(plane: ptr8, at: int, end: int, columns: int, limit: int) -> int:
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


@micropython.viper
def next_valley(plane: ptr8, at: int, end: int, columns: int, aside: int, percent: int) -> int:
    below = aside * columns
    while at < end:
        value = plane[at] * 100
        if value < plane[at - aside] * percent and value < plane[at + aside] * percent:
            break
        if value < plane[at - below] * percent and value < plane[at + below] * percent:
            break
        at += 1
    return at


@micropython.viper
def steepest(plane: ptr8, at: int, end: int) -> int:
    most = 0
    while at < end:
        step = plane[at] - plane[at + 2]
        if step < 0:
            step = 0 - step
        if step > most:
            most = step
        at += 1
    return most


@micropython.viper
def translate(plane: ptr8, at: int, end: int, table: ptr8):
    while at < end:
        plane[at] = table[plane[at]]
        at += 1


@micropython.viper
def score(
    plane: ptr8, size: int, columns: int, at: int, ring: ptr16, points: int, cut: int, most: int
) -> int:
    dark = 0
    i = 0
    end = 2 * points
    while i < end:
        x = (ring[i] ^ 0x8000) - 0x8000
        y = (ring[i + 1] ^ 0x8000) - 0x8000
        j = at + y * columns + x
        if j < 0 or j >= size or plane[j] < cut:
            dark += 1
        i += 2
    if dark > most:
        return -1
    dark = 0
    end += end
    while i < end:
        x = (ring[i] ^ 0x8000) - 0x8000
        y = (ring[i + 1] ^ 0x8000) - 0x8000
        j = at + y * columns + x
        if j < 0 or j >= size or plane[j] < cut:
            dark += 1
        i += 2
    return dark


@micropython.viper
def level(plane: ptr8, columns: int, x: int, y: int) -> int:
    i = (y >> 5) * columns + (x >> 5)
    x &= 31
    y &= 31
    upper = plane[i] * (32 - x) + plane[i + 1] * x
    i += columns
    lower = plane[i] * (32 - x) + plane[i + 1] * x
    return upper * (32 - y) + lower * y


@micropython.viper
def turn(
    face: ptr8,
    size: int,
    plane: ptr8,
    columns: int,
    x: int,
    y: int,
    right: int,
    down: int,
    most: int,
    share: int,
):
    at = 0
    row = 0
    while row < size:
        place_x = x - row * down
        place_y = y + row * right
        end = at + size
        while at < end:
            i = (place_y >> 12) * columns + (place_x >> 12)
            across = (place_x >> 7) & 31
            upper = plane[i] * (32 - across) + plane[i + 1] * across
            i += columns
            lower = plane[i] * (32 - across) + plane[i + 1] * across
            across = (place_y >> 7) & 31
            value = upper * (32 - across) + lower * across
            if value >= most:
                face[at] += share
            else:
                face[at] += value * share // most
            place_x += right
            place_y += down
            at += 1
        row += 1


@micropython.viper
def dim_way(face: ptr8, size: int, along: int, across: int, aside: int, deepest: int, way: ptr32) -> int:
    i = 0
    while i < 2 * size:
        way[i] = 0
        i += 1
    before = 0
    after = size
    away = aside * across
    column = 0
    while column < size:
        at = column * along + away
        i = aside
        while i < size - aside:
            here = face[at]
            beside = face[at - away]
            other = face[at + away]
            if other < beside:
                beside = other
                other = face[at - away]
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
            i += 1
        before = after
        after = size - before
        column += 1
    most = 0
    i = before + aside
    while i < before + size - aside:
        if way[i] > most:
            most = way[i]
        i += 1
    return most - 255 * size
