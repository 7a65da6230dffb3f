// Runs one portable test file under the 32-bit WebAssembly MicroPython: node wasm.mjs ROOT FILE HEAP_BYTES.
// The interpreter sees a copy of the files it needs at the root of its own file system.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript";

const FOLDERS = ["firmware/tumbler", "host_tools/faults", "tests/portable", "tests/runners/micropython", "tests/vectors"];
const SMALL_MAXSIZE = 2147483647;

const [root, file, heap] = process.argv.slice(2);

const micropython = await loadMicroPython({
  heapsize: Number(heap),
  linebuffer: true,
  stdout: (line) => console.log(line),
});

function copy(relative) {
  micropython.FS.mkdirTree("/" + relative);
  for (const entry of readdirSync(resolve(root, relative), { withFileTypes: true })) {
    if (entry.name === "__pycache__") continue;
    const path = relative + "/" + entry.name;
    if (entry.isDirectory()) copy(path);
    else micropython.FS.writeFile("/" + path, readFileSync(resolve(root, path)));
  }
}

FOLDERS.forEach(copy);
for (const path of ["tests/runners/run_portable.py", file]) {
  const inside = resolve("/", path);
  micropython.FS.mkdirTree(dirname(inside));
  micropython.FS.writeFile(inside, readFileSync(resolve(root, path)));
}

micropython.runPython("import sys; maxsize = sys.maxsize; sys.path.append('/tests/runners')");
const maxsize = micropython.globals.get("maxsize");
if (maxsize !== SMALL_MAXSIZE) {
  console.log(`this interpreter is not 32-bit: sys.maxsize is ${maxsize}`);
  process.exit(2);
}
micropython.runPython(`import run_portable; passed = run_portable.run(${JSON.stringify(file)})`);
process.exit(micropython.globals.get("passed") ? 0 : 1);
