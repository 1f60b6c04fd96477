/** What things are called is one line: control characters are refused wherever a name is given. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { type Json, makeList } from "../support/subscribers.ts";

/** They end a line, or turn the direction of what stands beside the name. */
const TURNING = ["\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"].map((one) => `a${one}b`);

const SPACER = { version: 1, blocks: [{ id: "b1", type: "spacer", height: 24 }] };

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

test("a name with a control character is refused, and one of any other letters is taken", async () => {
  const listId = await makeList(app);
  const operator = await app.db.transaction((tx) =>
    createInstanceKey({ sql: tx, clock: systemClock }, "Billing"),
  );
  const { body: account } = await app.api("GET", "/v1/account");
  const list = { list_id: listId };
  const rules = { all: [{ field: "status", op: "is", value: "active" }] };
  const mail = { subject: "News", html: "<p>News</p>" };
  const server = { host: "mail.example.com" };
  const places: [method: string, path: string, body: Json, key?: string][] = [
    ["PATCH", "/v1/account", {}],
    ["POST", "/v1/api_keys", { scopes: ["lists:read"] }],
    ["POST", "/v1/lists", {}],
    ["PATCH", `/v1/lists/${listId}`, {}],
    ["POST", "/v1/segments", { ...list, rules }],
    ["POST", "/v1/campaigns", { ...list, ...mail }],
    ["POST", "/v1/topics", {}],
    ["POST", "/v1/fields", { key: "company", type: "text" }],
    ["POST", "/v1/templates", mail],
    ["POST", "/v1/sections", { blocks: SPACER }],
    ["POST", "/v1/forms", list],
    ["POST", "/v1/automations", list],
    ["POST", "/v1/transports", server],
    ["POST", "/v1/inbound/endpoints", { provider: "postmark" }],
    ["POST", "/v1/inbound/mailboxes", { ...server, username: "bounces", password: "a password" }],
    ["POST", "/v1/instance/accounts", { owner_email: "jane@example.com" }, operator],
    ["PATCH", `/v1/instance/accounts/${account.id}`, {}, operator],
  ];
  for (const [method, path, body, key] of places) {
    const send = (name: string) => app.api(method, path, { body: { ...body, name }, ...(key && { key }) });
    for (const name of ["a\nb", "a\u0000b", "\u001b[31mred", "a\u0085b", "tab\there", ...TURNING]) {
      const refused = await send(name);
      const what = `${method} ${path} ${JSON.stringify(name)}`;
      assert.equal(refused.status, 422, `${what} ${refused.text}`);
      assert.equal(refused.body.errors[0].pointer, "/name", what);
    }
    const taken = await send("Äpfel & Öl – 日本 🍏");
    assert.ok(taken.status === 200 || taken.status === 201, `${method} ${path} ${taken.text}`);
  }
});

test("what a webhook is described by is one line, too", async () => {
  const send = (description: string) =>
    app.api("POST", "/v1/webhooks", {
      body: { url: "https://hooks.example.com/in", events: ["*"], description },
    });
  for (const description of ["a\nb", ...TURNING]) {
    const refused = await send(description);
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.body.errors[0].pointer, "/description");
  }
  assert.equal((await send("Äpfel – 日本")).status, 201);
});
