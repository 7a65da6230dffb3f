# ruff: noqa: F821 (viper's types are names of the MicroPython compiler)
# pyright: reportUndefinedVariable=false, reportOperatorIssue=false, reportIndexIssue=false
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportAttributeAccessIssue=false
# pyright: reportOptionalSubscript=false, reportArgumentType=false
"""The SHA-512 block function in viper; a board that cannot compile it uses the plain twin in sha512.py.

A viper integer has 32 bits on a board and 64 on a PC. The code is right for both: a 64-bit word is two
32-bit halves; sums of low halves go through 16-bit quarters, so a carry never needs bit 32; right shifts
are of unsigned values whose bits above 31 were masked off; and the mask is computed, since a viper
constant above 0x3FFFFFFF becomes an object. There is no branch that depends on the data.
"""

from array import array

import micropython

_schedule = array("I", [0] * 160)


@micropython.viper
def _compress(state: ptr32, constants: ptr32, w: ptr32, data: ptr8, at: int):
    quarter = uint(0xFFFF)
    half = (quarter << 16) | quarter
    i = 0
    while i < 32:
        w[i] = (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
        at += 4
        i += 1
    while i < 160:
        xh = uint(w[i - 30])
        xl = uint(w[i - 29])
        yh = uint(w[i - 4])
        yl = uint(w[i - 3])
        sh = (((xh >> 1) | (xl << 31)) ^ ((xh >> 8) | (xl << 24)) ^ (xh >> 7)) & half
        sl = (((xl >> 1) | (xh << 31)) ^ ((xl >> 8) | (xh << 24)) ^ ((xl >> 7) | (xh << 25))) & half
        th = (((yh >> 19) | (yl << 13)) ^ ((yl >> 29) | (yh << 3)) ^ (yh >> 6)) & half
        tl = (((yl >> 19) | (yh << 13)) ^ ((yh >> 29) | (yl << 3)) ^ ((yl >> 6) | (yh << 26))) & half
        ul = uint(w[i - 31])
        vl = uint(w[i - 13])
        lo = (sl & quarter) + (tl & quarter) + (ul & quarter) + (vl & quarter)
        hi = (sl >> 16) + (tl >> 16) + (ul >> 16) + (vl >> 16) + (lo >> 16)
        w[i + 1] = (hi << 16) | (lo & quarter)
        w[i] = sh + th + uint(w[i - 32]) + uint(w[i - 14]) + (hi >> 16)
        i += 2
    ah = uint(state[0])
    al = uint(state[1])
    bh = uint(state[2])
    bl = uint(state[3])
    ch = uint(state[4])
    cl = uint(state[5])
    dh = uint(state[6])
    dl = uint(state[7])
    eh = uint(state[8])
    el = uint(state[9])
    fh = uint(state[10])
    fl = uint(state[11])
    gh = uint(state[12])
    gl = uint(state[13])
    hh = uint(state[14])
    hl = uint(state[15])
    i = 0
    while i < 160:
        # first = h + Sigma1(e) + Ch(e, f, g) + constant + word, into sh and sl
        sl = (((el >> 14) | (eh << 18)) ^ ((el >> 18) | (eh << 14)) ^ ((eh >> 9) | (el << 23))) & half
        sh = ((eh >> 14) | (el << 18)) ^ ((eh >> 18) | (el << 14)) ^ ((el >> 9) | (eh << 23))
        tl = gl ^ (el & (fl ^ gl))
        ul = uint(constants[i + 1])
        vl = uint(w[i + 1])
        lo = (hl & quarter) + (sl & quarter) + (tl & quarter) + (ul & quarter) + (vl & quarter)
        hi = (hl >> 16) + (sl >> 16) + (tl >> 16) + (ul >> 16) + (vl >> 16) + (lo >> 16)
        sh = (hh + sh + (gh ^ (eh & (fh ^ gh))) + uint(constants[i]) + uint(w[i]) + (hi >> 16)) & half
        sl = ((hi & quarter) << 16) | (lo & quarter)
        hh = gh
        hl = gl
        gh = fh
        gl = fl
        fh = eh
        fl = el
        # e = d + first
        lo = (dl & quarter) + (lo & quarter)
        hi = (dl >> 16) + (hi & quarter) + (lo >> 16)
        el = ((hi & quarter) << 16) | (lo & quarter)
        eh = (dh + sh + (hi >> 16)) & half
        dh = ch
        dl = cl
        # a = first + Sigma0(a) + Maj(a, b, c)
        xl = (((al >> 28) | (ah << 4)) ^ ((ah >> 2) | (al << 30)) ^ ((ah >> 7) | (al << 25))) & half
        xh = ((ah >> 28) | (al << 4)) ^ ((al >> 2) | (ah << 30)) ^ ((al >> 7) | (ah << 25))
        yl = (al & bl) | (cl & (al | bl))
        yh = (ah & bh) | (ch & (ah | bh))
        ch = bh
        cl = bl
        bh = ah
        bl = al
        lo = (sl & quarter) + (xl & quarter) + (yl & quarter)
        hi = (sl >> 16) + (xl >> 16) + (yl >> 16) + (lo >> 16)
        al = ((hi & quarter) << 16) | (lo & quarter)
        ah = (sh + xh + yh + (hi >> 16)) & half
        i += 2
    w[0] = ah
    w[1] = al
    w[2] = bh
    w[3] = bl
    w[4] = ch
    w[5] = cl
    w[6] = dh
    w[7] = dl
    w[8] = eh
    w[9] = el
    w[10] = fh
    w[11] = fl
    w[12] = gh
    w[13] = gl
    w[14] = hh
    w[15] = hl
    i = 0
    while i < 16:
        xl = uint(state[i + 1])
        yl = uint(w[i + 1])
        lo = (xl & quarter) + (yl & quarter)
        hi = (xl >> 16) + (yl >> 16) + (lo >> 16)
        state[i + 1] = (hi << 16) | (lo & quarter)
        state[i] = uint(state[i]) + uint(w[i]) + (hi >> 16)
        i += 2


def compress(state, constants, data, at):
    """Hashes the 128 bytes of `data` from `at` into `state`, an array of 16 halves, in place."""
    _compress(state, constants, _schedule, data, at)
