"""Connected regions of a grey picture from run lengths (He, Chao, Suzuki, IEEE TIP 17(5), 2008)."""

from array import array

from .kernels import next_inside, next_outside
from .refusal import Refused


class Region:
    """Pixels that hang together: area, centre and bounding box (x1, y1 included)."""

    def __init__(self, root, y, x0, x1):
        self.root = root
        self.area = 0
        self.sum_x = 0
        self.sum_y = 0
        self.x0 = x0
        self.x1 = x1
        self.y0 = y
        self.y1 = y

    def add(self, y, x0, x1):
        """One run of row y from x0 to x1, both included."""
        length = x1 - x0 + 1
        self.area += length
        self.sum_x += (x0 + x1) * length
        self.sum_y += y * length
        self.x0 = min(self.x0, x0)
        self.x1 = max(self.x1, x1)
        self.y1 = y

    def centre(self):
        return self.sum_x / (2 * self.area), self.sum_y / self.area


class Labeller:
    """Finds regions with buffers made once; a picture with more runs than they hold is no picture of dice."""

    def __init__(self, most=1200):
        self._start = array("h", bytes(2 * most))
        self._end = array("h", bytes(2 * most))
        self._row = array("h", bytes(2 * most))
        self._parent = array("h", bytes(2 * most))
        self._most = most
        self._count = 0

    def find(self, plane, columns, box, low, high, reach):
        """Regions of `low <= level < high` in box (x0, y0, x1, y1; ends included). reach: 1 when corners
        join pixels, 0 when only edges do. Refused when there are too many runs for a picture of dice."""
        x0, y0, x1, y1 = box
        spans = ((x0, x1 + 1, low),)
        return self._label(plane, columns, range(y0, y1 + 1), lambda _: spans, high, reach)

    def find_over(self, plane, columns, rows, spans):
        """Regions, joined by corners too, of what is at least as light as is asked for where it lies.

        spans: gives [(first column, end, least level)] of each of so many rows, from left to right.
        """
        return self._label(plane, columns, range(rows), spans, 256, 1)

    def _label(self, plane, columns, rows_of_plane, spans, high, reach):
        start, end, rows, parent = self._start, self._end, self._row, self._parent
        count = 0
        above = above_end = 0
        for y in rows_of_plane:
            first = count
            base = y * columns
            for x0, x_end, low in spans(y):
                stop = base + x_end
                begin = next_inside(plane, base + x0, stop, low, high)
                while begin < stop:
                    after = next_outside(plane, begin, stop, low, high)
                    if count > first and end[count - 1] == begin - base - 1:  # goes on in the next span
                        end[count - 1] = after - base - 1
                    else:
                        if count == self._most:
                            raise Refused("unreadable", "noise")
                        start[count] = begin - base
                        end[count] = after - base - 1
                        rows[count] = y
                        parent[count] = count
                        count += 1
                    begin = next_inside(plane, after, stop, low, high)
            self._join(above, above_end, first, count, reach)
            above, above_end = first, count
        self._count = count
        return self._collect(count)

    def runs(self, region):
        """(y, x0, x1) of each run of a region of the latest find."""
        for run in range(self._count):
            if self._root(run) == region.root:
                yield self._row[run], self._start[run], self._end[run]

    def _join(self, a, a_end, b, b_end, reach):
        start, end = self._start, self._end
        while a < a_end and b < b_end:
            if start[a] <= end[b] + reach and start[b] <= end[a] + reach:
                root_a, root_b = self._root(a), self._root(b)
                if root_a < root_b:
                    self._parent[root_b] = root_a
                else:
                    self._parent[root_a] = root_b
            if end[a] < end[b]:
                a += 1
            else:
                b += 1

    def _root(self, run):
        parent = self._parent
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    def _collect(self, count):
        found = {}
        for run in range(count):
            root = self._root(run)
            y, x0, x1 = self._row[run], self._start[run], self._end[run]
            if root not in found:
                found[root] = Region(root, y, x0, x1)
            found[root].add(y, x0, x1)
        return [found[root] for root in sorted(found)]
