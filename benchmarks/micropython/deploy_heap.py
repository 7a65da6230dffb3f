"""The application up to its first steps, in place of main.py; prints what is left of the heap."""

import gc

from tumbler import start

board, settings = start.open_board()
folder = start.find_folder()
scene = start.open_scene(board, settings, folder)

from tumbler.assembly import assemble  # noqa: E402  (after the frame buffers, as in start)

controller = assemble(board, settings, scene, folder)
controller.power_on()
for _ in range(200):
    controller.step()
    board.idle()
gc.collect()
print("free", gc.mem_free())
