// Fails when a document names something that isn't there. Usage: node tools/docs-check.ts
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Doc, findDocFaults, type World } from "./docs-rules.ts";
import { readMarkdown } from "./markdown.ts";

const root = join(import.meta.dirname, "..");

/** Environment variables that are no settings of the service, with the programs that read them. */
const otherVariables = {
  CHROMIUM_PATH: "the browser tests: where Chromium is",
  CI: "set by CI services",
  CORPORA: "npm run score: the folder of corpora",
  NODE_ENV: "some packages; Postrider itself never",
  REQUIRE_BROWSER: "the browser tests: a missing browser fails the run",
  TEST_POSTGRES_URL: "the tests: a server to use in place of the embedded one",
};

async function readWorld(): Promise<World> {
  const { settings } = await import("../src/platform/config/settings.ts");
  const { commands } = await import("../src/cli/commands.ts");
  const manifest = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
  return {
    exists,
    anchorsOf: (path) => readMarkdown(readText(path)).anchors,
    scripts: new Set(Object.keys(manifest.scripts)),
    commands: commands.map(({ name }) => name),
    variables: new Set([...settings.map(({ name }) => name), ...Object.keys(otherVariables)]),
  };
}

function exists(path: string): boolean {
  if (path.startsWith("..")) return false;
  return /[*{]/.test(path) ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
}

function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function readDocs(): Doc[] {
  const paths = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    ...globSync("docs/**/*.md", { cwd: root }),
  ];
  return paths.map((path) => ({ path, text: readText(path) }));
}

const world = await readWorld();
const faults = readDocs().flatMap((doc) => findDocFaults(doc, world));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
