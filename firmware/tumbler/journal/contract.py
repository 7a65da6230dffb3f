"""What every journal of records keeps to, wherever it puts them: errors, and which records are never dropped.

A journal has `mount`, `first`, `last`, `acknowledged`, `needed`, `append`, `read`, `acknowledge`,
`next_boot` and `require_room`; see files.Journal for their meaning.
"""

KEEP = 128  # newest records that are kept for recall although the host has them
RESERVE = 16  # records that only an append without reserve may use: the end of a running round must fit


class JournalFull(Exception):
    """No room for a record that the host has not taken: connect the host, and play goes on."""


class JournalDamaged(Exception):
    """A record that was durable cannot be read back. `sequence` is the first one concerned."""

    def __init__(self, sequence, detail):
        super().__init__("journal damaged at record " + str(sequence) + ": " + detail)
        self.sequence = sequence


class NoJournal:
    """Stands where a device's journal should be and is not: nothing to read, nothing may be appended."""

    first = last = acknowledged = needed = 0
    quiet = False

    def __init__(self, detail):
        self._detail = detail

    def mount(self):
        """Raises JournalDamaged, always."""
        raise JournalDamaged(1, self._detail)

    def read(self, sequence):
        """Raises KeyError, always."""
        raise KeyError(sequence)

    def append(self, sequence, record, reserve=True):
        """Raises JournalDamaged, as all that follows."""
        self.mount()

    def require_room(self, reserve=True):
        self.mount()

    def acknowledge(self, sequence, keep):
        self.mount()

    def next_boot(self, at_least=0):
        self.mount()
        return at_least + 1
