import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openApiDocument } from "../platform/http/documents/openapi.ts";
import { subscriberActionRoutes } from "./action-routes.ts";
import { bulkRoutes } from "./bulk/routes.ts";
import { createHashAddress } from "./contact-store.ts";
import { nothingSent } from "./engagement/nothing-sent.fixture.ts";
import { fieldRoutes } from "./fields/routes.ts";
import { listRoutes } from "./lists/routes.ts";
import { subscriberRoutes } from "./subscriber-routes.ts";
import { suppressionRoutes } from "./suppressions/routes.ts";

const hash = createHashAddress(Buffer.alloc(32));
const routes = [
  ...listRoutes(async () => undefined),
  ...subscriberRoutes(hash, nothingSent),
  ...subscriberActionRoutes({
    campaigns: {
      exists: async () => false,
      noteUnsubscribe: async () => undefined,
      mailsTo: async () => [],
      engagementsOf: async () => [],
      namesOf: async () => new Map(),
    },
    forgetElsewhere: async () => undefined,
  }),
  ...bulkRoutes,
  ...fieldRoutes,
  ...suppressionRoutes(hash),
];

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read here and there
const document: any = openApiDocument(routes, { baseUrl: "https://mail.example", version: "1.2.3" });

// biome-ignore lint/suspicious/noExplicitAny: as above
function exampleOf(schema: any): unknown {
  const named = schema.$ref ? document.components.schemas[schema.$ref.split("/").at(-1)] : schema;
  return named.examples ?? (named.properties?.data && exampleOf(named.properties.data.items));
}

describe("the reference of lists, subscribers, fields and suppressions", () => {
  for (const [path, methods] of Object.entries<object>(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      it(`describes ${method.toUpperCase()} ${path}, with an example of each body`, () => {
        const words = operation.description.replace(/Needs the scope .*/, "").trim();
        assert.ok(words.length > 10, words);
        const success = Object.keys(operation.responses).filter((status) => status.startsWith("2"));
        for (const body of [operation.requestBody, ...success.map((status) => operation.responses[status])]) {
          if (body?.content) assert.ok(exampleOf(body.content["application/json"].schema));
        }
      });
    }
  }

  it("has every endpoint of the contract", () => {
    const operations = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/v1/", "")}`),
    );
    const expected = `
      GET lists, POST lists, GET lists/{id}, PATCH lists/{id}, DELETE lists/{id},
      GET subscribers, POST subscribers, GET subscribers/{id}, PATCH subscribers/{id}, DELETE subscribers/{id},
      GET subscribers/search, GET subscribers/counts, POST subscribers/batch, POST subscribers/{id}/unsubscribe,
      POST subscribers/{id}/resubscribe, POST subscribers/{id}/resend_confirmation, POST subscribers/{id}/tags,
      GET subscribers/{id}/activity, POST subscribers/{id}/forget, POST subscribers/{id}/wake,
      GET fields, POST fields, GET fields/{id}, PATCH fields/{id}, DELETE fields/{id}, GET tags,
      GET stats/growth, GET bulk_changes, POST bulk_changes, GET bulk_changes/{id}, POST bulk_changes/{id}/cancel, POST bulk_changes/{id}/undo,
      GET suppressions, POST suppressions, POST suppressions/undo, GET suppressions/{id}, DELETE suppressions/{id}`;
    const wanted = expected.split(",").map((one) => one.trim());
    assert.deepEqual(operations.toSorted(), wanted.toSorted());
  });
});
