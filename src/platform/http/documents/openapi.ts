/**
 * Makes the OpenAPI 3.1 document from the objects that validate. A schema with a `title` becomes a named component, so
 * that generated clients get a type for it. It is written by hand because @fastify/swagger would have to be told again
 * what the route list holds.
 */
import { isDeepStrictEqual } from "node:util";
import type { TObject, TSchema } from "typebox";
import { commonProblems, type Problem, preconditionFailed } from "../../problems.ts";
import type { Route } from "../route.ts";
import { ProblemSchema } from "../schemas.ts";

type Json = Record<string, unknown>;

/** A message that is posted to an address of the account's own. */
export type DocumentedMessage = {
  readonly name: string;
  readonly summary: string;
  readonly schema: TSchema;
  readonly example: unknown;
};

export type DocumentInfo = {
  readonly baseUrl: string;
  readonly version: string;
  readonly messages?: readonly DocumentedMessage[];
};

export function openApiDocument(routes: readonly Route[], info: DocumentInfo): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) };
  }
  reference(ProblemSchema, components);
  return {
    openapi: "3.1.0",
    info: {
      title: "Postrider API",
      version: info.version,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: info.baseUrl }],
    security: [{ api_key: [] }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    ...(info.messages && {
      webhooks: Object.fromEntries(info.messages.map((one) => [one.name, { post: posted(one, components) }])),
    }),
    components: {
      securitySchemes: {
        api_key: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer pr_…`" },
      },
      schemas: components,
    },
  };
}

const DESCRIPTION = [
  "JSON in, JSON out; times are RFC 3339 in UTC. Errors are `application/problem+json` and name every fault at once.",
  "Every POST with an API key takes an `Idempotency-Key`: a retry under the same key returns the first answer and does nothing twice.",
  'Every answer under `/v1` says what is left of the minute: `RateLimit-Policy: "default";q=600;w=60` and ' +
    '`RateLimit: "default";r=599;t=60`. A key without a limit gets the policy `"unlimited"`, with 999999999999999 as quota and rest.',
  "Lists are pages: pass `next_cursor` of one answer as `cursor` of the next request.",
].join("\n\n");

function operation(route: Route, components: Json): Json {
  const { success } = route;
  const answer = success.schema
    ? {
        content: {
          [success.contentType ?? "application/json"]: { schema: reference(success.schema, components) },
        },
      }
    : {};
  const scope = route.ofInstance
    ? "\n\nFor operators and keys of the instance alone; to others there is no such path."
    : route.scope === null
      ? ""
      : `\n\nNeeds the scope \`${route.scope}\`.`;
  const confirmed = route.needsConfirmation
    ? " Whoever is signed in must have confirmed within 15 minutes that it is them."
    : "";
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description ?? ""}${scope}${confirmed}`.trim(),
    ...(route.scope === null ? { security: [] } : { "x-scope": route.scope }),
    parameters: [
      ...parameters(route.params, "path"),
      ...parameters(route.query, "query"),
      ...headerParameters(route, success.schema),
    ],
    ...((route.body || route.upload) && { requestBody: requestBody(route, components) }),
    responses: {
      ...Object.fromEntries(
        [success.status, ...(route.alsoAnswers ?? [])].map((status) => [
          status,
          { description: success.description, ...answer },
        ]),
      ),
      ...otherResponse(route, components),
      ...problemResponses(route.problems ?? []),
      default: problemResponse("A problem; the code says which."),
    },
  };
}

function otherResponse({ otherSuccess: other }: Route, components: Json): Json {
  if (!other) return {};
  const content = { "application/json": { schema: reference(other.schema, components) } };
  return { [other.status]: { description: other.description, content } };
}

function posted({ name, summary, schema, example }: DocumentedMessage, components: Json): Json {
  return {
    operationId: `posted_${name.replaceAll(".", "_")}`,
    tags: ["Webhooks"],
    summary: name,
    description: summary,
    security: [],
    parameters: SIGNED_BY,
    requestBody: {
      required: true,
      content: { "application/json": { schema: reference(schema, components), example } },
    },
    responses: {
      "2XX": { description: "It was taken. Anything else, or no answer within 15 seconds, is tried again." },
      410: { description: "The endpoint wants nothing any more, and is disabled." },
    },
  };
}

/** The headers of Standard Webhooks. */
const SIGNED_BY: readonly Json[] = [
  ["webhook-id", "Is the same whenever the message comes again."],
  ["webhook-timestamp", "Says when it was signed, in seconds since 1970."],
  ["webhook-signature", "Has a signature, `v1,…`, for each live secret, with a blank between them."],
].map(([name, description]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
}));

function requestBody(route: Route, components: Json): Json {
  const schema = route.body && reference(route.body, components);
  if (route.upload) return uploadBody(schema);
  const types = ["application/json", ...(route.method === "PATCH" ? ["application/merge-patch+json"] : [])];
  return {
    required: !route.bodyOptional,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

function uploadBody(options: Json | undefined): Json {
  const file = { type: "string", contentMediaType: "application/octet-stream" };
  const properties = { ...(options && { options }), file };
  const schema = { type: "object", required: Object.keys(properties), properties };
  const encoding = options && { encoding: { options: { contentType: "application/json" } } };
  return { required: true, content: { "multipart/form-data": { schema, ...encoding } } };
}

/** `GET /v1/api_keys/:id` becomes `get_api_keys_by_id`, which is stable and readable as a method name. */
function operationId(route: Route): string {
  const words = route.path.replace(/^\/v1\//, "").replaceAll(/:(\w+)/g, "by_$1");
  return `${route.method.toLowerCase()}_${words.replaceAll("/", "_")}`;
}

function parameters(schema: TObject, where: "path" | "query"): Json[] {
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === "path" || (isRequired(schema, name) && !("default" in property)),
    schema: plain(property),
  }));
}

function isRequired(schema: TObject, name: string): boolean {
  return schema.required?.includes(name) ?? false;
}

function headerParameters(route: Route, answer: TSchema | null): Json[] {
  const header = (name: string, description: string, maxLength: number) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string", maxLength },
  });
  const ifMatch = header("If-Match", "The `ETag` you read: a stale one is refused with 412.", 1_000);
  // Idempotency keys belong to an account, and a route that is open to anyone has none.
  if (route.method === "POST" && route.scope !== null) {
    const key = header("Idempotency-Key", "Makes a retry safe; kept for 24 hours.", 255);
    return route.problems?.includes(preconditionFailed) ? [key, ifMatch] : [key];
  }
  return route.method === "PATCH" && answer ? [ifMatch] : [];
}

function problemResponses(problems: readonly Problem[]): Json {
  const byStatus = Map.groupBy(problems, (problem) => problem.status);
  return Object.fromEntries(
    [...byStatus].map(([status, ones]) => [
      status,
      problemResponse(ones.map((one) => `\`${one.code}\`: ${one.meaning}`).join("\n\n")),
    ]),
  );
}

function problemResponse(description: string): Json {
  return {
    description,
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}

function reference(schema: TSchema, components: Json): Json {
  const copy = plain(schema);
  return hoist(copy, components) as Json;
}

/** These keywords hold values and not schemas, whatever the values look like. */
const DATA: ReadonlySet<string> = new Set(["examples", "default", "const", "enum"]);

/** Replaces every titled schema by a reference to a component, from the inside out. */
function hoist(value: unknown, components: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, components));
  if (typeof value !== "object" || value === null) return value;
  const copied = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, DATA.has(key) ? inner : hoist(inner, components)]),
  );
  const title = (value as Json)["title"];
  if (typeof title !== "string" || !("type" in value || "anyOf" in value)) return copied;
  if (title in components && !isDeepStrictEqual(components[title], copied)) {
    throw new Error(`two schemas have the title ${title}: one would be lost from the document`);
  }
  components[title] = copied;
  return { $ref: `#/components/schemas/${title}` };
}

/** Removes TypeBox's own markers. */
function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema));
}

/** Collects every problem that the routes may answer with, for the pages under /docs/errors. */
export function problemsOf(
  routes: readonly Route[],
  more: readonly Problem[] = [],
): ReadonlyMap<string, Problem> {
  const all = [...commonProblems, ...more, ...routes.flatMap((route) => route.problems ?? [])];
  return new Map(all.map((problem) => [problem.code, problem]));
}
