/** Gives back what starting needed: schemas are built and code is read, and V8 would keep the room of both for hours where little happens. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (how: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** Takes some tenths of a second, in which nothing else runs, so it is for a process that has just started. */
export function giveMemoryBack(): void {
  setFlagsFromString("--expose-gc");
  // Only a context that is made after the flag was set has the function.
  const collect = runInNewContext("gc") as Collect;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
