// A value that others follow.

/** `get()`, `set(value)` or `change(function)`, and `follow(listener)`, which answers how to stop following. */
export function signal(value) {
  const listeners = new Set();
  const set = (next) => {
    value = next;
    for (const listener of [...listeners]) listener(value);
  };
  return {
    get: () => value,
    set,
    change: (function_) => set(function_(value)),
    follow(listener) {
      listeners.add(listener);
      listener(value);
      return () => listeners.delete(listener);
    },
  };
}
