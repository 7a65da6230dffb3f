"""Power-on: banner, frame buffers, self-test, then a controller over everything the journal proves.

Nothing but the banner goes out on the UART before the self-test has passed (9 NYCRR 5319.54(d)(1)).
"""

import gc
import sys

from tumbler import __version__, config

BANNER = "Sic Bo tumbler %s\r\n"


def main():
    """Boot the board that the volume's board.json names, and run it until power is cut."""
    boot(*open_board())


def boot(board, settings):
    """Run `board` (of a hal back end) by its `settings` (config.Config) until power is cut."""
    if not settings.shared:
        board.send((BANNER % __version__).encode())
    folder = find_folder()
    scene = open_scene(board, settings, folder)
    # The frame buffers have found their room in one piece; only now may other modules break up the heap.
    from tumbler.assembly import assemble

    controller = assemble(board, settings, scene, folder)
    controller.power_on()
    run(board, controller)


def run(board, controller):
    """Step for ever; after a program error the board restarts in the state its journal proves."""
    board.start_watchdog()
    while True:
        try:
            controller.step()
            board.idle()
        except KeyboardInterrupt:  # a technician's tool takes over
            board.stop_drive()
            raise
        except Exception as error:
            _give_up(board, controller, error)


def _give_up(board, controller, error):
    sys.print_exception(error)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        board.stop_drive()
        controller.fail(error)
    finally:
        board.restart()


def open_board():
    path = "board.json"
    settings = config.load(path)
    module = "tumbler.hal." + settings.board
    __import__(module)
    return sys.modules[module].Board(settings.hal), settings


def open_scene(board, settings, folder):
    """What reads the dice; only the modules that it takes are loaded."""
    if settings.profile is None:
        from tumbler.sensor_scene import SensorScene

        return SensorScene(board, board.sensor)
    from tumbler.reader import Reader, load_profile
    from tumbler.scene import Scene

    profile = load_profile(folder + "/profiles/" + settings.profile)
    gc.collect()
    return Scene(board, Reader(profile))


def find_folder():
    """The folder that holds the package `tumbler` and its data."""
    return __file__.rsplit("/", 2)[0] if "/" in __file__ else "."
