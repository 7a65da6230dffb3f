"""The reader's innermost loops: in viper where the interpreter compiles it, else their plain twins.

Both have the same names and give the same results. A kernel checks nothing: indices lie within the buffers
that the caller made, and frames have the size of the profile.
"""

try:
    from . import kernels_viper as _chosen
except (ImportError, SyntaxError, NameError, ValueError):
    # No viper: CPython has no such module, wasm MicroPython refuses the decorator, Blinka's `micropython`
    # knows no viper types, and a file cross-compiled for another processor does not load.
    from . import kernels_plain as _chosen

count_levels = _chosen.count_levels
count_lights = _chosen.count_lights
dim_way = _chosen.dim_way
fill = _chosen.fill
level = _chosen.level
merge = _chosen.merge
next_inside = _chosen.next_inside
next_outside = _chosen.next_outside
next_pit = _chosen.next_pit
next_under = _chosen.next_under
next_valley = _chosen.next_valley
score = _chosen.score
shrink = _chosen.shrink
steepest = _chosen.steepest
sum_over = _chosen.sum_over
translate = _chosen.translate
turn = _chosen.turn
