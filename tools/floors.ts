// The floors of src/: who may import whom. Pure functions over file texts; test/floors.test.ts
// holds the real tree against them.
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { type Import, readImports } from "./imports.ts";

const floors: Readonly<Record<string, number>> = {
  platform: 0,
  mail: 0,
  events: 1,
  accounts: 2,
  subscribers: 3,
  content: 3,
  domains: 3,
  delivery: 4,
  tracking: 4,
  campaigns: 5,
  transactional: 5,
  automations: 5,
  webhooks: 5,
  deliverability: 5,
  roles: 6,
  doctor: 7,
};
const topFloor = 8;

// Every file of these may be imported from above: floor 0 is a toolbox without a face, and each
// file of roles/ is the face of one role.
const openFolders = new Set(["platform", "mail", "roles"]);
const mountedByRoles = new Set(["routes.ts", "jobs.ts", "problems.ts"]);
const apartFromSrc = new Set(["dashboard", "sdk"]);

export type Tree = {
  /** Path from the repository's root, with forward slashes, to the file's text. */
  readonly sources: ReadonlyMap<string, string>;
  /** What `dependencies` of package.json lists. */
  readonly dependencies: ReadonlySet<string>;
};

type Place = { readonly folder: string; readonly floor: number; readonly inner: string };
type Link = Import & { readonly file: string; readonly specifier: string; readonly target: string | null };

/** One sentence for each breach, each beginning with the file and the line. */
export function findFloorFaults(tree: Tree): string[] {
  const faults = unknownFolders(tree);
  const links: Link[] = [];
  for (const [file, source] of tree.sources) {
    for (const found of readImports(file, source)) {
      const { specifier } = found;
      if (specifier !== null) links.push({ ...found, file, specifier, target: resolve(file, specifier) });
      else if (file.startsWith("src/")) {
        faults.push(`${file}:${found.line} imports a computed path, which no check can follow`);
      }
    }
  }
  for (const link of links) {
    const why = link.target === null ? packageFault(link, tree.dependencies) : pathFault(link, link.target);
    if (why) faults.push(`${link.file}:${link.line} imports ${link.target ?? link.specifier}: ${why}`);
  }
  return [...faults, ...findCycles(links)];
}

function unknownFolders({ sources }: Tree): string[] {
  const folders = new Set<string>();
  for (const file of sources.keys()) {
    const [top, folder, ...inner] = file.split("/");
    if (top === "src" && folder && inner.length > 0 && !Object.hasOwn(floors, folder)) folders.add(folder);
  }
  return [...folders].map((folder) => `src/${folder}/ stands on no floor: give it one in tools/floors.ts`);
}

function pathFault({ file }: Link, target: string): string | null {
  const [top = ""] = file.split("/");
  if (apartFromSrc.has(top)) return target.startsWith("src/") ? `${top}/ sees only the HTTP API` : null;
  if (top !== "src") return null;
  if (target === "package.json") return null;
  if (!target.startsWith("src/")) {
    const support = isTest(file) && target.startsWith("test/support/");
    return support ? null : "src/ imports nothing from outside src/ (a test may, from test/support/)";
  }
  const from = placeOf(file);
  const to = placeOf(target);
  if (!from || !to || from.folder === to.folder) return null;
  if (from.floor === to.floor) return `${from.folder}/ and ${to.folder}/ are neighbours on floor ${to.floor}`;
  if (from.floor < to.floor) return `it is on floor ${to.floor}, above floor ${from.floor}`;
  return isFace(from, to)
    ? null
    : `only ${to.folder}/${to.folder}.ts and ${to.folder}/schema.ts are its face`;
}

function isFace(from: Place, to: Place): boolean {
  if (openFolders.has(to.folder)) return true;
  if (to.inner === `${to.folder}.ts` || to.inner === "schema.ts") return true;
  return from.folder === "roles" && mountedByRoles.has(to.inner);
}

function placeOf(file: string): Place | null {
  const [, folder = "", ...inner] = file.split("/");
  if (inner.length === 0) return { folder: "", floor: topFloor, inner: folder };
  const floor = Object.hasOwn(floors, folder) ? floors[folder] : undefined;
  return floor === undefined ? null : { folder, floor, inner: inner.join("/") };
}

function packageFault({ file, specifier }: Link, dependencies: ReadonlySet<string>): string | null {
  if (!file.startsWith("src/") || isTest(file) || isBuiltin(specifier)) return null;
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  return dependencies.has(name) ? null : `${name} is not in "dependencies" of package.json`;
}

/** Type-only imports count too: a cycle of types still cannot be read from the bottom up. */
function findCycles(links: readonly Link[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { file, target, kind } of links) {
    if (target === null || kind === "worker") continue;
    next.set(file, (next.get(file) ?? new Set()).add(target));
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push(`import cycle: ${[...path.slice(start), file].join(" → ")}`);
    if (start >= 0 || done.has(file)) return;
    for (const target of next.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return cycles;
}

function resolve(file: string, specifier: string): string | null {
  return /^\.{1,2}(\/|$)/.test(specifier) ? posix.join(posix.dirname(file), specifier) : null;
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}
