"""Mounts the littlefs volume of the flash's second half as /flash, in place of the FAT one with this file."""

import os

import pyb
import vfs

_HALF = 2 * 1024 * 1024

os.chdir("/")
vfs.umount("/flash")
vfs.mount(vfs.VfsLfs2(pyb.Flash(start=_HALF, len=_HALF)), "/flash")
os.chdir("/flash")
