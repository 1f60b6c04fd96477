import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { validate } from "@scalar/openapi-parser";
import { allRoutes } from "../../../test/support/routes.ts";
import { EVENT_TYPES } from "../../events/events.ts";
import { createValidation } from "../../platform/http/bodies/validation.ts";
import { openApiDocument } from "../../platform/http/documents/openapi.ts";
import { documentedMessages } from "./documented-messages.ts";

const messages = documentedMessages();
// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read here and there
const document: any = openApiDocument(allRoutes(), {
  baseUrl: "https://mail.example",
  version: "1",
  messages,
});

describe("the webhooks of the OpenAPI document", () => {
  it("are valid", async () => {
    const { valid, errors } = await validate(structuredClone(document));
    assert.deepEqual([valid, errors ?? []], [true, []]);
  });

  it("are every type of event, and the batch", () => {
    assert.deepEqual(Object.keys(document.webhooks), [...EVENT_TYPES, "email.batch"]);
  });

  it("have an example each that fits the schema", () => {
    const validation = createValidation();
    for (const { name, schema, example } of messages) {
      assert.deepEqual(validation.body(schema)(structuredClone(example)), [], name);
      assert.equal((example as { type: string }).type, name);
      const { requestBody } = document.webhooks[name].post;
      assert.deepEqual(requestBody.content["application/json"].example, example);
    }
  });

  it("say of whom an address is added", () => {
    const dataOf = (name: string) =>
      document.webhooks[name].post.requestBody.content["application/json"].schema.properties.data;
    assert.deepEqual(dataOf("email.bounced").properties.email.type, ["string", "null"]);
    assert.ok(!dataOf("email.bounced").required.includes("email"));
    assert.equal(dataOf("list.created").properties.email, undefined);
  });
});
