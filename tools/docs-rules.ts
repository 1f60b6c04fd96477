// Checks what a document names: paths, scripts, commands, settings and anchors.
import { posix } from "node:path";
import { type Code, lineAt, readMarkdown } from "./markdown.ts";

export type Doc = { readonly path: string; readonly text: string };

/** All that a document may name. Paths start at the repository's root. */
export type World = {
  /** Tells whether a file, a folder or at least one match of a glob exists. */
  readonly exists: (path: string) => boolean;
  /** The heading anchors of a Markdown file. */
  readonly anchorsOf: (path: string) => ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
  readonly commands: readonly string[];
  /** The settings, and the few other environment variables that some program reads. */
  readonly variables: ReadonlySet<string>;
};

type Fault = { readonly line: number; readonly message: string };

/** Returns one sentence for each fault, each beginning with the document and the line. */
export function findDocFaults(doc: Doc, world: World): string[] {
  const page = readMarkdown(doc.text);
  const faults = [
    ...page.links.flatMap(({ target, line }) => linkFaults(doc, target, world).map(at(line))),
    ...page.code.flatMap((code) => [
      ...pathFaults(doc, code, world),
      ...treeFaults(code, world),
      ...scriptFaults(code, world),
      ...commandFaults(code, world),
    ]),
    ...variableFaults(page.code, world),
  ];
  return faults.sort((a, b) => a.line - b.line).map(({ line, message }) => `${doc.path}:${line} ${message}`);
}

function linkFaults(doc: Doc, target: string, world: World): string[] {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return [];
  const [address = "", anchor] = target.split("#", 2);
  const path = address === "" ? doc.path : resolveLink(doc, decodeURIComponent(address));
  if (!world.exists(path)) return [`links to ${target}, which is not there`];
  if (!anchor || !path.endsWith(".md")) return [];
  return world.anchorsOf(path).has(anchor) ? [] : [`links to ${target}, but ${path} has no such heading`];
}

function resolveLink(doc: Doc, address: string): string {
  return posix.normalize(
    address.startsWith("/") ? address.slice(1) : posix.join(posix.dirname(doc.path), address),
  );
}

// Matches a path from the root, a source file named from src/ or from the document's own folder, or a page.
const pathLike = new RegExp(
  [
    String.raw`(?<![\w./:@$~-])(?:\./)?`,
    String.raw`((?:src|migrations|test|tools|docs|bench|faults|dashboard|sdk|\.ci)/(?:[\w.*@<>…/-]|\{[^}\s]*\})*`,
    String.raw`|(?:[\w-]+/)+[\w.-]+\.(?:tsx?|sql|md)\b`,
    String.raw`|[A-Z]+\.md\b)`,
  ].join(""),
  "g",
);

function pathFaults(doc: Doc, code: Code, world: World): Fault[] {
  return matchesOf(code, pathLike).flatMap(({ found: [, named = ""], line }) => {
    const path = beforePlaceholder(named).replace(/\.+$/, "");
    const homes = [path, posix.join("src", path), posix.join(posix.dirname(doc.path), path)];
    return homes.some(world.exists) ? [] : [{ line, message: `names ${named}, which is not there` }];
  });
}

/** In a path such as `migrations/<number>_<name>.sql`, only the part before the placeholder can be checked. */
function beforePlaceholder(path: string): string {
  const at = path.search(/[<…]|\.\.\./);
  return at < 0 ? path : path.slice(0, path.lastIndexOf("/", at) + 1);
}

/**
 * Checks a drawn tree of folders, in which names indented under `src/` are in src/. Names at the margin are left to
 * pathFaults.
 */
function treeFaults(code: Code, world: World): Fault[] {
  if (code.language !== "" && code.language !== "text") return [];
  const faults: Fault[] = [];
  const parents: { indent: number; path: string }[] = [];
  for (const [index, drawn] of code.text.split("\n").entries()) {
    const row = drawn.replaceAll(/[│├└─]/g, " ");
    const indent = row.search(/\S/);
    const names = leadingNames(row);
    if (names[0] === undefined) continue;
    while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop();
    const parent = parents.at(-1)?.path ?? "";
    const folder = names[0].endsWith("/") ? parent + names[0] : parent;
    if (folder !== parent) parents.push({ indent, path: folder });
    if (parent === "" || !world.exists(parent)) continue;
    for (const name of names) {
      // On one row, a file after a folder may stand in that folder or beside it.
      if (world.exists(parent + name) || world.exists(folder + name)) continue;
      const path = (name.endsWith("/") ? parent : folder) + name;
      faults.push({ line: code.line + index, message: `draws ${path}, which is not there` });
    }
  }
  return faults;
}

function leadingNames(row: string): string[] {
  const words = row.trim().split(/\s+/);
  const end = words.findIndex((word) => !/^[\w.-]+(\/|\.(tsx?|sql|md|json))$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

const npmRun = /\bnpm(?:[ \t]+--?[\w=-]+)*[ \t]+run(?:-script)?(?:[ \t]+--?[\w=-]+)*[ \t]+([a-z][\w:-]*)/g;
const npmShort = /\bnpm(?:[ \t]+--?[\w=-]+)*[ \t]+(test|start|stop|restart)\b/g;

function scriptFaults(code: Code, world: World): Fault[] {
  return [...matchesOf(code, npmRun), ...matchesOf(code, npmShort)].flatMap(({ found, line }) => {
    const [text, script = ""] = found;
    return world.scripts.has(script) ? [] : [{ line, message: `says ${text}, a script package.json lacks` }];
  });
}

// Matches only where a command stands: `createdb postrider`, for instance, is followed by no command of ours.
const commandLine = new RegExp(
  [
    String.raw`(?:^[ \t]*(?:[$#>][ \t]+)?|[;&|(][ \t]*|\b(?:npx|sudo|exec[ \t]+\S+)[ \t]+)`,
    String.raw`(?:[A-Z][A-Z0-9_]*=\S*[ \t]+)*`,
    String.raw`(?:postrider|npm[ \t]+run(?:[ \t]+--?[\w=]+)*[ \t]+postrider[ \t]+--|node[ \t]+src/cli\.ts)`,
    String.raw`((?:[ \t]+[a-z][a-z0-9-]*(?=$|[\s;&|)]))+)`,
  ].join(""),
  "gm",
);

function commandFaults(code: Code, world: World): Fault[] {
  if (code.language !== null && !shells.has(code.language)) return [];
  return matchesOf(code, commandLine).flatMap(({ found: [, rest = ""], line }) => {
    const words = `${rest.trim().split(/\s+/).join(" ")} `;
    if (world.commands.some((name) => words.startsWith(`${name} `))) return [];
    return [{ line, message: `says postrider ${words.trim()}, a command the command line lacks` }];
  });
}

const shells = new Set(["", "sh", "bash", "shell", "console"]);
const listsOfVariables = new Set(["env", "dotenv", "ini", "systemd", "dockerfile"]);

// An upper-case word is taken for an environment variable only where it can be nothing else: it has an underscore, or
// is assigned as in a shell. So SQL words, HTTP methods, acronyms and SMTP's `SIZE=` in the middle of a line are
// ignored.
const underscored = /(?<![\w./-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w./(-])/g;
const assigned =
  /(?:^[ \t]*(?:[$#>-][ \t]+)?|[;&|("][ \t]*|\b(?:export|env|ENV)[ \t]+|-e[ \t]+|=|(?<==\S*)[ \t]+)([A-Z][A-Z0-9_]*)=(?!=)/gm;
const mapped = /^[ \t]*(?:-[ \t]+)?([A-Z][A-Z0-9_]*):(?:[ \t]|$)/gm;
const read = /\$\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)/g;

function variableFaults(code: readonly Code[], world: World): Fault[] {
  const found = code.flatMap((piece) => variablesIn(piece));
  const local = localVariables(code);
  return found
    .filter(({ name }) => !world.variables.has(name) && !local.has(name))
    .map(({ name, line }) => ({ line, message: `names ${name}, which is no setting` }));
}

function variablesIn(code: Code): { name: string; line: number }[] {
  const patterns = patternsFor(code.language);
  const seen = new Map<string, { name: string; line: number }>();
  for (const { found, line } of patterns.flatMap((pattern) => matchesOf(code, pattern))) {
    const name = found[1] ?? "";
    seen.set(`${name}:${line}`, { name, line });
  }
  return [...seen.values()];
}

function patternsFor(language: string | null): RegExp[] {
  if (language === null) return [underscored, assigned, read];
  if (language === "yaml" || language === "yml") return [assigned, mapped];
  if (shells.has(language)) return [assigned, read];
  return listsOfVariables.has(language) ? [assigned] : [];
}

/** A variable that a document assigns, as in `KEY=$(…)`, and later reads as `$KEY`, is the reader's own and not ours. */
function localVariables(code: readonly Code[]): Set<string> {
  const text = code
    .filter(({ language }) => language === null || shells.has(language))
    .map((piece) => piece.text)
    .join("\n");
  const names = [...text.matchAll(assigned)].map(([, name = ""]) => name);
  return new Set(names.filter((name) => new RegExp(`\\$\\{?${name}\\b`).test(text)));
}

function matchesOf(code: Code, pattern: RegExp): { found: RegExpMatchArray; line: number }[] {
  return [...code.text.matchAll(pattern)].map((found) => ({
    found,
    line: code.line - 1 + lineAt(code.text, found.index),
  }));
}

function at(line: number): (message: string) => Fault {
  return (message) => ({ line, message });
}
