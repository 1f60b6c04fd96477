import { parseSync, Visitor } from "oxc-parser";

/** The kind `worker` is `new URL("./x.ts", import.meta.url)`, which names code that is run though not imported. */
type ImportKind = "static" | "dynamic" | "worker";

export type Import = {
  readonly kind: ImportKind;
  /** Null when the specifier is computed, so that nobody can say what it names. */
  readonly specifier: string | null;
  readonly line: number;
};

/** Returns every import of another module, types included. */
export function readImports(file: string, source: string): Import[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const found: Import[] = [];
  const add = (kind: ImportKind, specifier: string | null, at: number) =>
    found.push({ kind, specifier, line: lineAt(source, at) });

  new Visitor({
    ImportDeclaration: (node) => add("static", node.source.value, node.start),
    ExportAllDeclaration: (node) => add("static", node.source.value, node.start),
    ExportNamedDeclaration: (node) => {
      if (node.source) add("static", node.source.value, node.start);
    },
    TSImportType: (node) => add("static", node.source.value, node.start),
    ImportExpression: (node) => add("dynamic", literalValue(node.source), node.start),
    NewExpression: (node) => {
      if (node.callee.type !== "Identifier" || node.callee.name !== "URL") return;
      const path = literalValue(node.arguments[0]);
      if (node.arguments[1]?.type === "MemberExpression" && path?.endsWith(".ts")) {
        add("worker", path, node.start);
      }
    },
  }).visit(program);
  return found;
}

type LooseNode = {
  type: string;
  value?: unknown;
  quasis?: { value: { cooked: string | null } }[];
};

function literalValue(node: object | undefined): string | null {
  const { type, value, quasis } = (node ?? { type: "" }) as LooseNode;
  if (type === "Literal" && typeof value === "string") return value;
  if (type === "TemplateLiteral" && quasis?.length === 1) return quasis[0]?.value.cooked ?? null;
  return null;
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
