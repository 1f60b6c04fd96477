import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { validate } from "@scalar/openapi-parser";
import { Type } from "typebox";
import { defineProblem } from "../../problems.ts";
import { CHANGES_NOTHING } from "../audit.ts";
import { readRoute, writeRoute } from "../route.ts";
import { Nullable, Page, PageQuery, PublicId, Strict } from "../schemas.ts";
import { openApiDocument, problemsOf } from "./openapi.ts";

const Size = Type.Object({ height: Type.Integer() }, { title: "Size" });
const Thing = Type.Object(
  { id: PublicId("key"), size: Size, packed: Nullable(Size), weight: Nullable(Type.Integer()) },
  { title: "Thing" },
);
const EXAMPLES = [{ size: 1, title: "not a schema", type: "neither" }];
const ThingCreate = Strict(
  { size: Type.Integer(), kind: Type.Optional(Type.String()) },
  { title: "ThingCreate", examples: EXAMPLES },
);
const full = defineProblem(409, "shelf_full", "Shelf full", "There is no room.");
const broken = defineProblem(409, "shelf_broken", "Shelf broken", "It can't carry more.");
const nothing = { status: 204, schema: null, description: "Done." };
const common = { tag: "Things", summary: "Does it" };

const routes = [
  readRoute({
    ...common,
    path: "/v1/things",
    scope: "things:read",
    query: PageQuery({ kind: Type.String() }),
    success: { status: 200, schema: Page(Thing, "ThingPage"), description: "A page." },
    handler: async () => assert.fail(),
  }),
  writeRoute({
    audit: CHANGES_NOTHING,
    ...common,
    method: "POST",
    path: "/v1/things",
    scope: "things:write",
    body: ThingCreate,
    problems: [full, broken],
    success: { status: 201, schema: Thing, description: "The thing." },
    handler: async () => assert.fail(),
  }),
  writeRoute({
    audit: CHANGES_NOTHING,
    ...common,
    method: "PATCH",
    path: "/v1/things/:id",
    scope: "things:write",
    params: Strict({ id: PublicId("key") }),
    body: ThingCreate,
    success: { status: 200, schema: Thing, description: "The thing." },
    handler: async () => assert.fail(),
  }),
  writeRoute({
    audit: CHANGES_NOTHING,
    ...common,
    method: "POST",
    path: "/v1/things/:id/shake",
    scope: null,
    params: Strict({ id: PublicId("key") }),
    body: ThingCreate,
    bodyOptional: true,
    success: nothing,
    handler: async () => assert.fail(),
  }),
];

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read here and there
const document: any = openApiDocument(routes, { baseUrl: "https://mail.example", version: "1.2.3" });

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors, version } = await validate(structuredClone(document));
    assert.deepEqual([valid, version, errors ?? []], [true, "3.1", []]);
  });

  it("has every route, its path parameters in braces", () => {
    const operations = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    assert.deepEqual(operations.toSorted(), [
      "get /v1/things",
      "patch /v1/things/{id}",
      "post /v1/things",
      "post /v1/things/{id}/shake",
    ]);
  });

  it("names schemas with a title once and refers to them", () => {
    assert.deepEqual(Object.keys(document.components.schemas).toSorted(), [
      "Problem",
      "Size",
      "Thing",
      "ThingCreate",
      "ThingPage",
    ]);
    const { post } = document.paths["/v1/things"];
    assert.deepEqual(post.requestBody.content["application/json"].schema, {
      $ref: "#/components/schemas/ThingCreate",
    });
    assert.deepEqual(document.components.schemas.ThingPage.properties.data.items, {
      $ref: "#/components/schemas/Thing",
    });
  });

  it("leaves examples as they are", () => {
    assert.deepEqual(document.components.schemas.ThingCreate.examples, EXAMPLES);
  });

  it("marks as required what has no default, and a body that may not be left out", () => {
    const { get, post } = document.paths["/v1/things"];
    const required = get.parameters.filter((one: { required: boolean }) => one.required);
    assert.deepEqual(
      required.map((one: { name: string }) => one.name),
      ["kind"],
    );
    assert.equal(post.requestBody.required, true);
    assert.equal(document.paths["/v1/things/{id}/shake"].post.requestBody.required, false);
  });

  it("offers a merge patch for PATCH alone", () => {
    const types = (operation: { requestBody: { content: object } }) =>
      Object.keys(operation.requestBody.content);
    assert.deepEqual(types(document.paths["/v1/things/{id}"].patch), [
      "application/json",
      "application/merge-patch+json",
    ]);
    assert.deepEqual(types(document.paths["/v1/things"].post), ["application/json"]);
  });

  it("says which scope a route needs, and that an open one needs no key", () => {
    assert.equal(document.paths["/v1/things"].post["x-scope"], "things:write");
    assert.deepEqual(document.paths["/v1/things/{id}/shake"].post.security, []);
    assert.deepEqual(document.security, [{ api_key: [] }]);
  });

  it("describes problems of the same status together", () => {
    const { description } = document.paths["/v1/things"].post.responses["409"];
    assert.match(description, /shelf_full.*shelf_broken/s);
    assert.ok(problemsOf(routes).has("shelf_full") && problemsOf(routes).has("not_found"));
  });

  it("refuses two schemas of one title, of which one would be lost", () => {
    const Other = Type.Object({ other: Type.Boolean() }, { title: "Thing" });
    const clash = readRoute({
      ...common,
      path: "/v1/others",
      scope: "things:read",
      success: { status: 200, schema: Other, description: "Another." },
      handler: async () => assert.fail(),
    });
    const make = () => openApiDocument([...routes, clash], { baseUrl: "", version: "1" });
    assert.throws(make, /two schemas .*Thing/);
  });
});
