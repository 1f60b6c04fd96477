// Writes the types of the dashboard's API client from the OpenAPI document: `npm run client-types`. Each area of the API gets a
// file, and `openapi.ts` beside them is their face. With `--check` it writes nothing, and fails where a file in the tree isn't what
// the document says.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../src/platform/http/documents/openapi.ts";
import { allRoutes } from "../test/support/routes.ts";

const API = join(import.meta.dirname, "..", "dashboard", "src", "api");
const ROOM = "openapi";

/** The tags that share a file. Any other tag has its own. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  access: ["Account", "API keys", "Users", "Invitations"],
  sessions: ["Session", "Second factors", "Single sign-on"],
  subscribers: ["Lists", "Subscribers", "Custom fields and tags", "Suppressions"],
  transfers: ["Imports", "Exports", "Bulk changes"],
  sending: ["Transports", "Sandbox"],
  inbound: ["Inbound", "Mailboxes"],
  logs: ["Events", "Audit", "Usage"],
  deliverability: ["Deliverability", "Mail tests"],
  content: ["Content", "Files", "Sections"],
  instance: ["Instance", "Sample data", "Plans", "Billing"],
};

type Schema = {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
};
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
};
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Operation = {
  readonly tags: readonly [string];
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return forms.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.type === "object") return objectType(schema);
  return SCALARS[String(schema.type)] ?? "unknown";
}

function objectType(schema: Schema): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length > 0) {
    const lines = properties.map(([name, inner]) => {
      const mark = schema.required?.includes(name) ? "" : "?";
      return `${name}${mark}: ${typeOf(inner)}`;
    });
    return `{ ${lines.join("; ")} }`;
  }
  const [pattern] = Object.values(schema.patternProperties ?? {});
  const values =
    pattern ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : {});
  return `Record<string, ${typeOf(values)}>`;
}

function parametersType(parameters: readonly Parameter[], where: string): string {
  const found = parameters.filter((one) => one.in === where);
  if (found.length === 0) return "undefined";
  const fields = found.map(
    ({ name, required, schema }) => `${name}${required ? "" : "?"}: ${typeOf(schema)}`,
  );
  return `{ ${fields.join("; ")} }`;
}

function bodyType({ requestBody }: Operation): string {
  const schema = requestBody?.content["application/json"]?.schema;
  if (!schema) return requestBody ? "FormData" : "undefined";
  return requestBody?.required ? typeOf(schema) : `${typeOf(schema)} | undefined`;
}

function answersOf({ responses }: Operation): readonly (Content | undefined)[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => content);
}

function answerType(operation: Operation): string {
  const types = answersOf(operation).map((content) => {
    if (!content) return "undefined";
    const schema = content["application/json"]?.schema;
    return schema ? typeOf(schema) : "unknown";
  });
  return [...new Set(types)].join(" | ");
}

type Area = { readonly schemas: string[]; readonly operations: [key: string, operation: Operation][] };

function areaOf(tag: string): string {
  const shared = Object.entries(AREAS).find(([, tags]) => tags.includes(tag));
  return shared?.[0] ?? tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** Gives each schema to the area whose operation is the first to need it, and those that none needs, such as a problem's, to one. */
function divide({ paths, components }: Document): Map<string, Area> {
  const areas = new Map<string, Area>();
  const placed = new Set<string>();
  const place = (value: unknown, area: Area) => {
    for (const name of namesIn(value)) {
      if (placed.has(name)) continue;
      placed.add(name);
      place(components.schemas[name], area);
      area.schemas.push(name);
    }
  };
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = areaOf(operation.tags[0]);
      const area: Area = areas.get(name) ?? { schemas: [], operations: [] };
      areas.set(name, area);
      area.operations.push([`${method.toUpperCase()} ${path}`, operation]);
      place(neededBy(operation), area);
    }
  }
  const rest = Object.keys(components.schemas).filter((name) => !placed.has(name));
  return areas.set("common", { schemas: rest, operations: [] });
}

function neededBy(operation: Operation): unknown {
  return [operation.parameters, operation.requestBody ?? null, answersOf(operation)];
}

function namesIn(value: unknown): Set<string> {
  return new Set(JSON.stringify(value).match(/(?<="#\/components\/schemas\/)\w+/g));
}

const NOTICE =
  "// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.";

function renderArea(name: string, areas: ReadonlyMap<string, Area>, { components }: Document): string {
  const { schemas, operations } = areas.get(name) as Area;
  const used = namesIn([
    schemas.map((one) => components.schemas[one]),
    operations.map(([, one]) => neededBy(one)),
  ]);
  const imports = [...areas].flatMap(([other, area]) => {
    const names = area.schemas.filter((one) => other !== name && used.has(one));
    return names.length > 0 ? [`import type { ${names.join(", ")} } from "./${other}.ts";`] : [];
  });
  const types = schemas.map((one) => `\nexport type ${one} = ${typeOf(components.schemas[one] ?? {})};`);
  const shown = operations.map(([key, operation]) =>
    [
      `  /** ${operation.summary} */`,
      `  "${key}": {`,
      `    path: ${parametersType(operation.parameters, "path")};`,
      `    query: ${parametersType(operation.parameters, "query")};`,
      `    body: ${bodyType(operation)};`,
      `    answer: ${answerType(operation)};`,
      "  };",
    ].join("\n"),
  );
  const all = shown.length > 0 ? [`\nexport type ${operationsOf(name)} = {`, ...shown, "};"] : [];
  return [NOTICE, ...(imports.length > 0 ? ["", ...imports] : []), ...types, ...all, ""].join("\n");
}

function operationsOf(area: string): string {
  return `${area.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Operations`;
}

function renderFace(areas: ReadonlyMap<string, Area>): string {
  const names = [...areas.keys()];
  const withOperations = names.filter((name) => areas.get(name)?.operations.length !== 0);
  return [
    NOTICE,
    "",
    ...withOperations.map((name) => `import type { ${operationsOf(name)} } from "./${ROOM}/${name}.ts";`),
    "",
    ...names.map((name) => `export type * from "./${ROOM}/${name}.ts";`),
    "",
    "export interface Operations",
    `  extends ${withOperations.map(operationsOf).join(",\n    ")} {}`,
    "",
  ].join("\n");
}

function render(document: Document): Map<string, string> {
  const areas = divide(document);
  const files = [...areas.keys()].map(
    (name) => [join(ROOM, `${name}.ts`), renderArea(name, areas, document)] as const,
  );
  return new Map([[`${ROOM}.ts`, renderFace(areas)], ...files]);
}

const document = openApiDocument(allRoutes(), { baseUrl: "", version: "" });
const wanted = render(document as unknown as Document);
const room = join(API, ROOM);
const inRoom = existsSync(room) ? readdirSync(room).map((file) => join(ROOM, file)) : [];
const left = inRoom.filter((file) => !wanted.has(file));
if (process.argv.includes("--check")) {
  const changed = [...wanted].filter(([file, text]) => {
    const path = join(API, file);
    return !existsSync(path) || readFileSync(path, "utf8") !== text;
  });
  for (const file of [...changed.map(([name]) => name), ...left]) {
    console.error(`dashboard/src/api/${file} isn't what the routes say: run \`npm run client-types\``);
    process.exitCode = 1;
  }
} else {
  mkdirSync(room, { recursive: true });
  for (const file of left) rmSync(join(API, file));
  for (const [file, text] of wanted) writeFileSync(join(API, file), text);
}
