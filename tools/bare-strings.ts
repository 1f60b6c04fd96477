// Finds words that people read but that don't come from the translation: text between tags, and texts in attributes that
// are shown or read aloud. A step of `npm run check`.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

const SHOWN = new Set([
  "aria-label",
  "alt",
  "title",
  "placeholder",
  "label",
  "hint",
  "lead",
  "text",
  "action",
  "sub",
]);
const hasWord = (text: string) => /\p{L}{2,}/u.test(text);
/** These are names, not words. */
const NAMES = new Set(["postrider"]);

/** Returns one line for each bare string, beginning with the file and the line. */
export function findBareStrings(file: string, source: string): string[] {
  const faults: string[] = [];
  const add = (text: string, at: number) => {
    const line = source.slice(0, at).split("\n").length;
    faults.push(`${file}:${line} shows ${JSON.stringify(text.trim())}, which is in no translation`);
  };
  const { program } = parseSync(file, source);
  new Visitor({
    JSXText: (node) => {
      if (hasWord(node.value) && !NAMES.has(node.value.trim())) add(node.value, node.start);
    },
    JSXExpressionContainer: (node) => {
      const { expression } = node;
      if (expression.type === "Literal" && typeof expression.value === "string" && hasWord(expression.value))
        add(expression.value, node.start);
    },
    JSXAttribute: (node) => {
      const { name, value } = node;
      if (name.type !== "JSXIdentifier" || !SHOWN.has(name.name) || value?.type !== "Literal") return;
      if (typeof value.value === "string" && hasWord(value.value)) add(value.value, node.start);
    },
  }).visit(program);
  return faults;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  // The page of all components is for developers, and no build has it.
  const files = globSync("dashboard/src/**/*.tsx", { cwd: root, exclude: ["dashboard/src/pages/kit/**"] });
  const faults = files.flatMap((file) => findBareStrings(file, readFileSync(join(root, file), "utf8")));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0 || files.length === 0) process.exitCode = 1;
}
