// Floors say which folders of src/ may import which, and within a folder, which rooms. These functions check file
// texts without I/O; test/floors.test.ts applies them to the real tree.
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { type Import, readImports } from "./imports.ts";

/** The floor of each room, for each folder that has rooms. A folder in it that isn't listed here is a fault. */
const floors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  src: {
    platform: 0,
    mail: 0,
    events: 1,
    audit: 1,
    dashboard: 1,
    "recipient-domains": 1,
    accounts: 2,
    alerts: 2,
    subscribers: 3,
    content: 3,
    domains: 3,
    files: 3,
    sections: 4,
    delivery: 4,
    "public-pages": 4,
    messages: 5,
    tracking: 6,
    templates: 6,
    campaigns: 7,
    emails: 7,
    automations: 7,
    webhooks: 7,
    "sample-data": 8,
    billing: 8,
    submission: 8,
    notices: 8,
    "subscriber-mail": 8,
    inbound: 8,
    forms: 9,
    preferences: 9,
    deliverability: 9,
    instance: 10,
    doctor: 10,
    "account-data": 10,
    roles: 11,
    cli: 13,
  },
  "src/accounts": {
    uses: 0,
    settings: 0,
    standing: 0,
    people: 0,
    factors: 0,
    holds: 0,
    "api-keys": 1,
    operators: 1,
    users: 2,
    invitations: 3,
    visits: 3,
    sessions: 3,
    security: 4,
    "email-changes": 4,
    sso: 4,
    "sign-ups": 4,
  },
  "src/automations": {
    times: 0,
    graph: 1,
    steps: 1,
    members: 2,
    outbox: 2,
    runs: 2,
    simulating: 2,
    enrolling: 3,
    feed: 3,
    publishing: 4,
    dates: 5,
    segments: 5,
    watching: 5,
    executing: 5,
    testing: 5,
  },
  "src/account-data": { tables: 0, exporting: 1, deleting: 1 },
  "src/subscribers": {
    fields: 0,
    lists: 0,
    tags: 0,
    suppressions: 0,
    topics: 0,
    engagement: 0,
    "custom-events": 0,
    segments: 1,
    "soft-bounces": 1,
    consent: 1,
    audience: 2,
    exports: 2,
    changes: 2,
    imports: 3,
    bulk: 3,
    sunset: 3,
  },
  "src/subscribers/imports": { values: 0, reading: 1, running: 2 },
  "src/content": { html: 1, liquid: 0, blocks: 2, checks: 2, starters: 3, frames: 0, workers: 3 },
  "src/content/checks": { reading: 0, rules: 1 },
  "src/delivery": {
    allowance: 0,
    warmup: 0,
    providers: 0,
    transports: 1,
    reputation: 1,
    usage: 1,
    sandbox: 2,
    ledger: 2,
    reports: 3,
    outcomes: 3,
    guardrails: 3,
    standing: 3,
    failover: 3,
    sources: 4,
    planning: 5,
    pacing: 4,
    sending: 6,
  },
  "src/messages": { links: 0, checking: 1, authoring: 2 },
  "src/tracking": {
    spool: 0,
    machines: 0,
    hits: 1,
    links: 1,
    unsubscribing: 1,
    archive: 1,
    counting: 2,
    "mail-stats": 3,
  },
  "src/forms": { protection: 0, submitting: 1 },
  "src/emails": { input: 0, "from-template": 1, accept: 2, reading: 3 },
  "src/deliverability": { dmarc: 0, "by-provider": 0, "mail-tests": 0, blocklists: 0, checklist: 1 },
  "src/billing": { plans: 0, limits: 1, usage: 2, subscriptions: 2, credits: 2, statements: 3, stripe: 3 },
  "src/webhooks": { payload: 0, delivering: 1, deliveries: 2 },
  "src/instance": { reviews: 0 },
  "src/campaigns": { stats: 0, recipients: 1, progress: 1, editing: 0, lifecycle: 1 },
};
/** The floor of the files directly in src/. Only the command line stands above it. */
const topFloor = 12;

// Every file of these folders may be imported from above: floor 0 is a toolbox without a face, and each file of
// roles/ is the face of one role.
const openFolders = new Set(["src/platform", "src/mail", "src/roles"]);
/** The files of a folder that roles/ mounts, and that the file of the same name mounts from its rooms. */
const mounted = new Set(["routes.ts", "jobs.ts", "problems.ts"]);
const apartFromSrc = new Set(["dashboard", "sdk"]);

export type Tree = {
  /** Maps the path from the repository's root, with forward slashes, to the file's text. */
  readonly sources: ReadonlyMap<string, string>;
  /** The packages that `dependencies` of package.json lists. */
  readonly dependencies: ReadonlySet<string>;
};

/** The place of a file within a folder above it: in a room of that folder, or directly in it (`room` is null). */
type Standing = { readonly room: string | null; readonly inner: string };
type ResolvedImport = Import & {
  readonly file: string;
  readonly specifier: string;
  readonly target: string | null;
};

/** Returns one sentence for each breach, each beginning with the file and the line. */
export function findFloorFaults(tree: Tree): string[] {
  const faults = unknownFolders(tree);
  const imports: ResolvedImport[] = [];
  for (const [file, source] of tree.sources) {
    for (const found of readImports(file, source)) {
      const { specifier } = found;
      if (specifier !== null) imports.push({ ...found, file, specifier, target: resolve(file, specifier) });
      else if (file.startsWith("src/")) {
        faults.push(`${file}:${found.line} imports a computed path, which no check can follow`);
      }
    }
  }
  for (const one of imports) {
    const why = one.target === null ? packageFault(one, tree.dependencies) : pathFault(one, one.target);
    if (why) faults.push(`${one.file}:${one.line} imports ${one.target ?? one.specifier}: ${why}`);
  }
  return [...faults, ...findCycles(imports)];
}

function unknownFolders({ sources }: Tree): string[] {
  const unknown = new Set<string>();
  for (const file of sources.keys()) {
    const parts = file.split("/");
    for (let depth = 1; depth < parts.length - 1; depth++) {
      const folder = parts.slice(0, depth).join("/");
      const room = parts[depth] as string;
      const isRuled = folder === "src" || Object.hasOwn(floors, folder);
      if (isRuled && floorOf(folder, room) === undefined) unknown.add(`${folder}/${room}/`);
    }
  }
  return [...unknown].map((folder) => `${folder} stands on no floor: give it one in tools/floors.ts`);
}

function floorOf(folder: string, room: string): number | undefined {
  const rooms = Object.hasOwn(floors, folder) ? floors[folder] : undefined;
  return rooms && Object.hasOwn(rooms, room) ? rooms[room] : undefined;
}

function pathFault({ file }: ResolvedImport, target: string): string | null {
  const [top = ""] = file.split("/");
  if (apartFromSrc.has(top)) return target.startsWith("src/") ? `${top}/ sees only the HTTP API` : null;
  if (top !== "src") return null;
  if (target === "package.json") return null;
  if (!target.startsWith("src/")) {
    const support = isTest(file) && target.startsWith("test/support/");
    return support ? null : "src/ imports nothing from outside src/ (a test may, from test/support/)";
  }
  const folder = sharedFolder(file, target);
  if (isOpen(`${folder}/`)) return null;
  return faultBetween(file, folder, standingIn(folder, file), standingIn(folder, target));
}

/** Returns the deepest folder that both files are in. There they are in two rooms, or one is directly in the folder. */
function sharedFolder(file: string, target: string): string {
  const one = file.split("/").slice(0, -1);
  const other = target.split("/").slice(0, -1);
  const differs = one.findIndex((part, at) => other[at] !== part);
  return one.slice(0, differs < 0 ? one.length : differs).join("/");
}

function standingIn(folder: string, file: string): Standing {
  const [room = "", ...inner] = file.slice(folder.length + 1).split("/");
  return inner.length === 0 ? { room: null, inner: room } : { room, inner: inner.join("/") };
}

function isOpen(path: string): boolean {
  return [...openFolders].some((folder) => path.startsWith(`${folder}/`));
}

function faultBetween(file: string, folder: string, from: Standing, to: Standing): string | null {
  const ofFrom = from.room === null ? topFloor : floorOf(folder, from.room);
  const ofTo = to.room === null ? topFloor : floorOf(folder, to.room);
  // A folder without a floor is reported once, and not again for each of its imports.
  if (ofFrom === undefined || ofTo === undefined) return null;
  if (to.room === null) {
    // The files directly in a folder may be imported by all its rooms; only those directly in src/ are on the top
    // floor.
    const isBelow = folder !== "src" || from.room === null || ofFrom > ofTo;
    return isBelow ? null : `it is on floor ${ofTo}, above floor ${ofFrom}`;
  }
  if (folder !== "src" && isTest(file)) return null;
  if (from.room === null && folder === "src" && ofFrom < ofTo)
    return `it is on floor ${ofTo}, above floor ${ofFrom}`;
  if (from.room !== null && !isMounting(folder, from)) {
    if (ofFrom === ofTo) return `${from.room}/ and ${to.room}/ are neighbours on floor ${ofTo}`;
    if (ofFrom < ofTo) return `it is on floor ${ofTo}, above floor ${ofFrom}`;
  }
  return isFace(folder, from, to)
    ? null
    : `only ${to.room}/${to.room}.ts and ${to.room}/schema.ts are its face`;
}

/**
 * The routes and jobs of a room stand above all rooms of their folder, because only the files that mount them import
 * them.
 */
function isMounting(folder: string, { inner }: Standing): boolean {
  return folder !== "src" && mounted.has(inner);
}

function isFace(folder: string, from: Standing, to: Standing): boolean {
  if (isOpen(`${folder}/${to.room}/`)) return true;
  if (to.inner === `${to.room}.ts` || to.inner === "schema.ts") return true;
  if (folder === "src") return from.room === "roles" && mounted.has(to.inner);
  return from.room === null && mounted.has(to.inner) && mounted.has(from.inner);
}

function packageFault({ file, specifier }: ResolvedImport, dependencies: ReadonlySet<string>): string | null {
  if (!file.startsWith("src/") || isTest(file) || isBuiltin(specifier)) return null;
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  return dependencies.has(name) ? null : `${name} is not in "dependencies" of package.json`;
}

/** Type-only imports count too, because a cycle of types can't be read from the bottom up either. */
function findCycles(imports: readonly ResolvedImport[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { file, target, kind } of imports) {
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
  return file.endsWith(".test.ts") || file.endsWith(".fixture.ts");
}
