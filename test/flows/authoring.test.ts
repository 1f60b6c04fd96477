/** What whoever writes a mail is given: starters to begin with, and the names that its Liquid may use. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { mjmlTags } from "../../dashboard/src/pages/campaigns/composer/editor/code/mjml-elements.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  await app.api("PATCH", "/v1/account", { body: { postal_address: "Acme Ltd, 1 High Street, London" } });
  listId = (await app.api("GET", "/v1/lists")).body.data[0].id;
});
after(() => app.stop());

describe("starters", () => {
  test("are listed without their content, and each is there with it", async () => {
    const { body } = await app.api("GET", "/v1/starters");
    const ids = body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ["letter", "newsletter", "announcement", "digest", "catalogue"]);
    assert.ok(body.data.every((one: object) => !("html" in one)));
    const letter = (await app.api("GET", "/v1/starters/letter")).body;
    assert.match(letter.html, /^<!DOCTYPE html>/);
    assert.equal(letter.mjml, null);
    const catalogue = (await app.api("GET", "/v1/starters/catalogue")).body;
    assert.deepEqual([catalogue.html, catalogue.format], [null, "mjml"]);
    assert.match(catalogue.mjml, /^<mjml/);
    for (const { blocks } of [letter, catalogue]) assert.equal(blocks.version, 1);
    for (const id of ["nothing", "..", "%2e%2e%2fstarters"]) {
      assert.equal((await app.api("GET", `/v1/starters/${id}`)).status, 404, id);
      assert.equal((await app.api("GET", `/v1/starters/${id}/html`)).status, 404, id);
    }
  });

  test("for a template are also those that a program sends, shown with their samples", async () => {
    const { body } = await app.api("GET", "/v1/starters?for=template");
    assert.deepEqual(body.data.at(-1).id, "receipt");
    assert.equal(body.data.length, 6);
    const shown = await app.api("GET", "/v1/starters/receipt/html");
    assert.match(shown.text, /€ 22\.60/);
    assert.doesNotMatch(shown.text, /\{\{|Unsubscribe/i);
    assert.equal((await app.api("GET", "/v1/starters?for=me")).status, 400);
  });

  test("are shown as pages under which nothing runs, with the account's own address", async () => {
    for (const { id } of (await app.api("GET", "/v1/starters")).body.data) {
      const shown = await app.api("GET", `/v1/starters/${id}/html`);
      assert.equal(shown.status, 200, shown.text);
      assert.match(shown.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
      assert.match(shown.text, /1 High Street/);
      assert.doesNotMatch(shown.text, /\{\{|\{%/);
    }
  });

  test("each can be sent as it is, and arrives as it was shown", async () => {
    await app.api("POST", "/v1/subscribers", {
      body: { email: "ada@example.com", first_name: "Ada", list_id: listId },
    });
    for (const { id, subject, preview_text } of (await app.api("GET", "/v1/starters")).body.data) {
      const { blocks } = (await app.api("GET", `/v1/starters/${id}`)).body;
      const made = await app.api("POST", "/v1/campaigns", {
        body: { name: id, list_id: listId, subject, preview_text, blocks },
      });
      assert.equal(made.status, 201, made.text);
      const errors = made.body.checks.filter(({ severity }: { severity: string }) => severity === "error");
      assert.deepEqual(errors, [], id);
      const sent = await app.api("POST", `/v1/campaigns/${made.body.id}/send`);
      assert.equal(sent.status, 202, sent.text);
      let caught = "";
      await until(async () => {
        const { data } = (await app.api("GET", "/v1/sandbox/messages")).body;
        caught = data.find((one: { campaign_id: string }) => one.campaign_id === made.body.id)?.id ?? "";
        return caught !== "";
      });
      const mail = (await app.api("GET", `/v1/sandbox/messages/${caught}`)).body;
      const shown = (await app.api("GET", `/v1/starters/${id}/html`)).text;
      assert.deepEqual(wordsOf(mail.html), wordsOf(shown), id);
    }
  });
});

/** The words that a reader sees; whom it is for differs. */
function wordsOf(html: string): string[] {
  const words = html
    .replace(/^.*?<body[^>]*>/s, "")
    .replaceAll(/<!--.*?-->|<style.*?<\/style>|<[^>]*>/gs, " ")
    .match(/\p{L}{2,}/gu);
  return words ?? [];
}

describe("merge names", () => {
  test("are those that a check knows, with the values of a made-up recipient", async () => {
    await app.api("POST", "/v1/fields", { body: { key: "city", name: "Town", type: "text" } });
    await app.api("POST", "/v1/fields", { body: { key: "orders", name: "Orders", type: "number" } });
    const { body } = await app.api("GET", `/v1/merge_names?list_id=${listId}`);
    const named = new Map<string, { label: string | null; type: string; value: string | null }>(
      body.variables.map(({ name, ...rest }: { name: string }) => [name, rest]),
    );
    assert.deepEqual([...named.keys()].slice(0, 5), [
      "first_name",
      "last_name",
      "email",
      "fields.city",
      "fields.orders",
    ]);
    assert.deepEqual(named.get("first_name"), { label: null, type: "text", value: "Ada" });
    assert.deepEqual(named.get("fields.city"), { label: "Town", type: "text", value: "Sample" });
    assert.equal(named.get("fields.orders")?.type, "number");
    assert.ok(named.get("list.name")?.value);
    assert.match(named.get("unsubscribe_url")?.value ?? "", /\/u\//);
    const html = `<p>${[...named.keys()].map((name) => `{{ ${name} }}`).join(" ")}</p>`;
    const made = await app.api("POST", "/v1/campaigns", {
      body: { name: "All names", list_id: listId, subject: "Names", html },
    });
    const codes = made.body.checks.map(({ code }: { code: string }) => code);
    assert.ok(!codes.includes("unresolved_variable"), made.text);
  });

  test("have the values of a subscriber", async () => {
    const made = await app.api("POST", "/v1/subscribers", {
      body: {
        email: "priya@example.com",
        first_name: "Priya",
        list_id: listId,
        fields: { city: "Otley", orders: 7 },
        tags: ["letter", "poetry"],
      },
    });
    const { body } = await app.api("GET", `/v1/merge_names?subscriber_id=${made.body.id}`);
    const values = Object.fromEntries(
      body.variables.map(({ name, value }: { name: string; value: string | null }) => [name, value]),
    );
    assert.deepEqual(
      [values.first_name, values.last_name, values["fields.city"], values["fields.orders"]],
      ["Priya", null, "Otley", "7"],
    );
    assert.equal(values["subscriber.tags"], "letter, poetry");
    assert.equal(values["list.name"], null);
  });

  test("every filter and tag that is offered is one that a mail may use, and no other", async () => {
    const { body } = await app.api("GET", "/v1/merge_names");
    const tags = new Map(body.tags.map(({ name, end }: { name: string; end: string }) => [name, end]));
    assert.deepEqual([tags.get("if"), tags.get("for"), tags.get("assign")], ["endif", "endfor", null]);
    for (const gone of ["render", "include", "layout", "block", "_link"]) assert.ok(!tags.has(gone), gone);
    assert.ok(body.filters.includes("default") && !body.filters.includes("sample"));
    const html = `<p>${body.filters.map((name: string) => `{{ first_name | ${name}: 1 }}`).join("\n")}</p>`;
    const made = await app.api("POST", "/v1/campaigns", {
      body: { name: "All filters", list_id: listId, subject: "Filters", html },
    });
    const unknown = made.body.checks.filter(({ message }: { message: string }) =>
      message.startsWith("There is no filter"),
    );
    assert.deepEqual(unknown, []);
  });
});

test("the elements of MJML that the editor completes are those of the compiler, with their attributes", () => {
  const fromCompiler = createRequire(createRequire(import.meta.url).resolve("mjml"));
  fromCompiler("mjml");
  const { components } = fromCompiler("mjml-core") as {
    components: Record<string, { allowedAttributes?: Record<string, string> }>;
  };
  const common = ["css-class", "mj-class"];
  const known = Object.entries(components).map(([name, { allowedAttributes = {} }]) => [
    name,
    [...Object.keys(allowedAttributes), ...common].toSorted(),
  ]);
  const { mjml: _root, ...offered } = mjmlTags;
  const ours = Object.entries(offered).map(([name, { attrs = {} }]) => [name, Object.keys(attrs).toSorted()]);
  assert.ok(ours.length > 25);
  assert.deepEqual(ours.toSorted(), known.toSorted());
});
