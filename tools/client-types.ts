// Writes the types of the dashboard's API client from the OpenAPI document: `npm run client-types`. With `--check` it
// writes nothing, and fails where the file in the tree isn't what the document says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../src/platform/http/documents/openapi.ts";
import { allRoutes } from "../test/support/routes.ts";

const FILE = join(import.meta.dirname, "..", "dashboard", "src", "api", "openapi.ts");

type Schema = {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
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
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
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

function answerType({ responses }: Operation): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"));
  const content = success?.[1].content;
  if (!content) return "undefined";
  const schema = content["application/json"]?.schema;
  return schema ? typeOf(schema) : "unknown";
}

function render(document: Document): string {
  const components = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      [
        `  /** ${operation.summary} */`,
        `  "${method.toUpperCase()} ${path}": {`,
        `    path: ${parametersType(operation.parameters, "path")};`,
        `    query: ${parametersType(operation.parameters, "query")};`,
        `    body: ${bodyType(operation)};`,
        `    answer: ${answerType(operation)};`,
        "  };",
      ].join("\n"),
    ),
  );
  return [
    "// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.\n",
    components.join("\n\n"),
    `\nexport type Operations = {\n${operations.join("\n")}\n};\n`,
  ].join("\n");
}

const document = openApiDocument(allRoutes(), { baseUrl: "", version: "" });
const wanted = render(document as unknown as Document);
if (process.argv.includes("--check")) {
  if (readFileSync(FILE, "utf8") !== wanted) {
    console.error("dashboard/src/api/openapi.ts isn't what the routes say: run `npm run client-types`");
    process.exitCode = 1;
  }
} else {
  writeFileSync(FILE, wanted);
}
