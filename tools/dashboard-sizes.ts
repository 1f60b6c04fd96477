// Prints how much each page of the dashboard loads, and fails above the budget. A step of `npm run check`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DIST, makeFresh } from "../src/dashboard/build.ts";

/** In KB, gzipped at level 9: JavaScript and CSS, without fonts. */
const FIRST_LOAD = 210;
const LAZY = 200;
/** The first load is the shell with this page. */
const FIRST_PAGE = "src/pages/subscribers/subscribers.tsx";

type Chunk = {
  readonly file: string;
  readonly src?: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
};

await makeFresh();
const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(join(DIST, ".vite", "manifest.json"), "utf8"),
);

/** Returns all files that opening the chunk loads, by static imports. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const file of chunk.css ?? []) found.add(file);
  for (const one of chunk.imports ?? []) filesOf(one, found);
  return found;
}

function kilobytes(files: Iterable<string>): number {
  const sizes = [...files].map((file) => gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length);
  return sizes.reduce((sum, size) => sum + size, 0) / 1_024;
}

const [entry = ""] = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);
const shell = filesOf(entry);
const pages = Object.keys(manifest).filter(
  (name) => manifest[name]?.src && name !== entry && filesOf(name).size > 0,
);
const rows = pages
  .filter((name) => name.endsWith(".tsx"))
  .map((name) => ({ name, kb: kilobytes([...filesOf(name)].filter((file) => !shell.has(file))) }));
const first = kilobytes(new Set([...shell, ...filesOf(FIRST_PAGE)]));

const faults: string[] = [];
const say = (name: string, kb: number, most: number) => {
  console.log(`${kb.toFixed(1).padStart(7)} KB of ${most}  ${name}`);
  if (kb > most) faults.push(`${name} is ${kb.toFixed(1)} KB, above ${most}`);
};
say("first load: the shell and the table of subscribers", first, FIRST_LOAD);
for (const { name, kb } of rows.sort((a, b) => b.kb - a.kb)) say(name, kb, LAZY);
for (const fault of faults) console.error(fault);
if (faults.length > 0 || rows.length === 0) process.exitCode = 1;
