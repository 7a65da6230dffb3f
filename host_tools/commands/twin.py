"""`tumbler twin`: scenes, labelled sets and rounds of a tumbler that is nowhere, from a seed."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from host_tools.twin.mix import Mix

_JSON = typer.Option("--json", help="One JSON object, nothing else.")
_JOBS = typer.Option(min=1, help="Processes; one a core.")
_SEED = typer.Option(min=0, help="The same seed gives the same.")
_twin = typer.Typer(no_args_is_help=True, help="A digital twin of the tumbler: pictures, labels, rounds.")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_twin, name="twin")


@_twin.command("render")
def render(  # noqa: PLR0913, PLR0917 - a command has so many options
    out: Annotated[Path, typer.Argument(help="Folder for the frames, lamp0.png and so on, and label.json.")],
    seed: Annotated[int, _SEED] = 1,
    category: Annotated[str | None, typer.Option(help="How the dice lie.")] = None,
    style: Annotated[str | None, typer.Option(help="The dice.")] = None,
    size: Annotated[str | None, typer.Option(help="Of the pictures: 320x240 or 160x120.")] = None,
    lamps: Annotated[str | None, typer.Option(help="four, a frame each, or ring, one frame.")] = None,
    renderer: Annotated[str | None, typer.Option(help="tracer, or the simpler warper.")] = None,
    trouble: Annotated[str | None, typer.Option(help="With the picture.")] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Draw one scene with all its frames and its label; what is left out is drawn from the seed."""
    from host_tools.twin.mix import choose, load_mix  # noqa: PLC0415 - only when called
    from host_tools.twin.studio import Studio  # noqa: PLC0415

    given = {
        "category": category,
        "style": style,
        "size": size,
        "lamps": lamps,
        "renderer": renderer,
        "trouble": trouble,
    }

    def work() -> dict[str, Any]:
        mix = load_mix()
        draw = choose(
            mix.draw(seed, 0), {name: choice for name, choice in given.items() if choice is not None}
        )
        shot = Studio(seed, mix).take(0, draw)
        shot.picture.save(out)
        (out / "label.json").write_text(json.dumps(shot.label, indent=1) + "\n")
        return {"folder": str(out), **shot.label}

    _tell(_guarded(work), as_json, _describe_scene)


@_twin.command("dataset")
def dataset(  # noqa: PLR0913, PLR0917
    out: Annotated[
        Path, typer.Argument(help="Folder for scenes, labels.jsonl and calib; goes on with its own.")
    ],
    scenes: Annotated[int, typer.Option(min=1, help="How many.")],
    mix: Annotated[
        Path | None, typer.Option(help="Shares of each kind, a TOML file; else the shipped one.")
    ] = None,
    seed: Annotated[int, _SEED] = 1,
    jobs: Annotated[int | None, _JOBS] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Write a labelled set; run it again to go on or for more. The same seed gives the same files."""
    from host_tools.twin.dataset import write_dataset  # noqa: PLC0415

    def work() -> dict[str, Any]:
        return {"folder": str(out), "scenes": write_dataset(out, _mix(mix), scenes, seed, jobs or _cores())}

    _tell(_guarded(work), as_json, lambda told: f"{told['folder']}: {told['scenes']} scenes")


@_twin.command("rounds")
def rounds(
    rounds: Annotated[int, typer.Option(min=1, help="How many.")] = 1000,
    force: Annotated[
        float | None, typer.Option(help="Of a stroke, in newton; the machine's own is 16.")
    ] = None,
    seed: Annotated[int, _SEED] = 1,
    jobs: Annotated[int | None, _JOBS] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Play rounds of four strokes and tell how fair the faces are, and how the dice lie."""

    def work() -> dict[str, Any]:
        from host_tools.campaign.commit import commit  # noqa: PLC0415
        from host_tools.twin.machine import Machine  # noqa: PLC0415
        from host_tools.twin.rounds import play  # noqa: PLC0415

        newtons = Machine().force if force is None else force
        return {"commit": commit(), **play(rounds, newtons, seed, jobs or _cores())}

    _tell(_guarded(work), as_json, _describe_rounds)


def _mix(path: Path | None) -> "Mix":
    from host_tools.twin.mix import load_mix  # noqa: PLC0415

    return load_mix(path) if path else load_mix()


def _cores() -> int:
    return os.cpu_count() or 1


def _guarded(work: Any) -> dict[str, Any]:
    """What `work` returns; an error of the twin, of files or of Ctrl-C ends the command with a sentence."""
    from host_tools.twin.camera import CameraError  # noqa: PLC0415
    from host_tools.twin.errors import TwinError  # noqa: PLC0415
    from host_tools.twin.workers import WorkerLost  # noqa: PLC0415

    try:
        return work()
    except (TwinError, CameraError, WorkerLost) as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        _stop("stopped")


def _tell(told: dict[str, Any], as_json: bool, describe: Any) -> None:
    print(json.dumps(told) if as_json else describe(told))


def _describe_scene(told: dict[str, Any]) -> str:
    why = f" ({told['reason']})" if told["reason"] else ""
    made = ", ".join(told[axis] for axis in ("category", "style", "size", "lamps", "renderer"))
    return f"{told['folder']}: {made}; faces {told['values']}, {told['verdict']}{why}"


def _describe_rounds(told: dict[str, Any]) -> str:
    lines = [
        f"{told['rounds']:,} rounds of {told['force']:g} N: {told['outcomes']}, {told['pulses']:.2f} pulses"
        f" and {told['counted']:.2f} tumbles a round, {told['void_too_few_tumbles']:,} with too few tumbles",
        "lying: " + ", ".join(f"{name} {100 * share:.2f} %" for name, share in told["share"].items()),
        _describe_fairness("all rounds", told["fairness"]),
    ]
    if told["fairness_of_read"]:
        lines.append(
            _describe_fairness(f"the {told['read']:,} that a device reads", told["fairness_of_read"])
        )
    lines.append(f"{told['rounds_a_second_and_core']} rounds a second and core")
    return "\n".join(lines)


def _describe_fairness(of: str, told: dict[str, Any]) -> str:
    dice = " ".join(f"{die['p']:.3f}" for die in told["dice"])
    return (
        f"{of}: faces {told['faces']['counts']}; p of faces {told['faces']['p']:.3f}, of each die {dice},"
        f" of totals {told['totals']['p']:.3f}, round to round {told['following']['p']:.3f};"
        f" {100 * told['kept']:.2f} % of the dice keep their face (fair: 16.67)"
    )


def _stop(reason: str) -> NoReturn:
    print(f"tumbler twin: {reason}", file=sys.stderr)
    raise typer.Exit(2)
