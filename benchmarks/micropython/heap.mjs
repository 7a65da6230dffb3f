// What a board's application keeps of a 32-bit heap: node heap.mjs SLOT APPLICATION FRAMES; prints one JSON line.
// SLOT: the folder of bytecode that goes to the board; FRAMES: a folder with lamp0.raw .. lamp3.raw, or "".
// kept: the most bytes live between steps; verdict: of the scene.

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { loadMicroPython } from "../../tests/runners/node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [slot, application, frames] = process.argv.slice(2);

const micropython = await loadMicroPython({
  heapsize: 8 * 1024 * 1024,
  linebuffer: true,
  stdout: (line) => console.log(line),
});

function copy(from, to) {
  micropython.FS.mkdirTree(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = resolve(from, entry.name);
    if (entry.isDirectory()) copy(path, to + "/" + entry.name);
    else micropython.FS.writeFile(to + "/" + entry.name, readFileSync(path));
  }
}

copy(slot, "/slot");
if (frames) copy(frames, "/frames");
micropython.FS.mkdirTree("/flash");
micropython.FS.writeFile("/application.py", readFileSync(application));
micropython.runPython("import gc, sys; sys.path[:] = ['/', '/slot']; from application import application");

// The interpreter collects when a call from outside ends, so every measurement is a call of its own.
function live() {
  micropython.runPython("gc.collect()");
  micropython.runPython("live = gc.mem_alloc()");
  return micropython.globals.get("live");
}

const before = live();
micropython.runPython("application.assemble()");
let kept = live() - before;
let verdict = null;
for (let step = 0; frames && !verdict; step++) {
  micropython.runPython("event = application.look(); verdict = event and event[0]");
  verdict = micropython.globals.get("verdict");
  kept = Math.max(kept, live() - before);
}
console.log(JSON.stringify({ kept, verdict }));
