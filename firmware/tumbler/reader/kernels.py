"""The reader's innermost loops: in viper where the interpreter compiles it, else their plain twins.

Both have the same names and give the same results. A kernel checks nothing: indices lie within the buffers
that the caller made, and frames have the size of the profile.
"""

try:
    from .kernels_viper import (
        count_levels,
        count_lights,
        fill,
        level,
        merge,
        next_inside,
        next_outside,
        next_pit,
        next_under,
        score,
        shrink,
        steepest,
    )
except (ImportError, SyntaxError, NameError, ValueError):
    # No viper: CPython has no such module, wasm MicroPython refuses the decorator, Blinka's `micropython`
    # knows no viper types, and a file cross-compiled for another processor does not load.
    from .kernels_plain import (
        count_levels,
        count_lights,
        fill,
        level,
        merge,
        next_inside,
        next_outside,
        next_pit,
        next_under,
        score,
        shrink,
        steepest,
    )

__all__ = (
    "count_levels",
    "count_lights",
    "fill",
    "level",
    "merge",
    "next_inside",
    "next_outside",
    "next_pit",
    "next_under",
    "score",
    "shrink",
    "steepest",
)
