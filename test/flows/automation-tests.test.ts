/** The mails of an automation are sent as a test: all of them or one, as a person of the list, and to members alone without the right to send. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson } from "../support/people.ts";
import { addSubscriber, makeList } from "../support/subscribers.ts";

let app: TestApp;
let path: string;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await makeList(app);
  const mail = (subject: string, next: string) => ({
    type: "email",
    subject,
    html: "<p>Hello {{ subscriber.first_name }}</p>",
    next,
  });
  const nodes = {
    hello: mail("First", "pause"),
    pause: { type: "wait", for: "P2D", next: "more" },
    more: mail("Second", "end"),
    end: { type: "end" },
  };
  const draft = { format: 1, start: "hello", entry: { on: [{ type: "manual" }] }, nodes };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Test", list_id: listId, draft } });
  assert.equal(made.status, 201, made.text);
  path = `/v1/automations/${made.body.id}`;
});
after(() => app.stop());

const test = (body: object, key = app.key) => app.api("POST", `${path}/test`, { body, key });
const caught = async (to: string) =>
  (await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(to)}`)).body.data;

describe("a test of an automation", () => {
  it("sends every mail as that person would get it, and lets nobody in", async () => {
    const person = await addSubscriber(app, listId, "ada@example.com", { first_name: "Ada" });
    const sent = await test({ to: ["all@example.com"], subscriber_id: person["id"] });
    assert.equal(sent.status, 202, sent.text);
    assert.deepEqual([sent.body.nodes, sent.body.to], [["hello", "more"], ["all@example.com"]]);
    const mails = await caught("all@example.com");
    assert.deepEqual(mails.map(({ subject }: { subject: string }) => subject).sort(), ["First", "Second"]);
    const { text } = (await app.api("GET", `/v1/sandbox/messages/${mails[0].id}`)).body;
    assert.ok(text.includes("Hello Ada"), text);
    const stats = (await app.api("GET", `${path}/stats`)).body;
    assert.deepEqual([stats.entered, stats.mails], [0, []]);
  });

  it("sends that of one step alone", async () => {
    const sent = await test({ to: ["one@example.com"], node: "more" });
    assert.deepEqual([sent.status, sent.body.nodes], [202, ["more"]]);
    assert.deepEqual(
      (await caught("one@example.com")).map(({ subject }: { subject: string }) => subject),
      ["Second"],
    );
    assert.equal((await test({ to: ["one@example.com"], node: "pause" })).status, 422);
  });

  it("goes to people of the account alone without automations:send, and as nobody without subscribers:read", async () => {
    const scopes = ["automations:read", "automations:write"];
    const { key } = (await app.api("POST", "/v1/api_keys", { body: { name: "Writes", scopes } })).body;
    const refused = await test({ to: ["stranger@example.com"] }, key);
    assert.deepEqual([refused.status, refused.body.required_scope], [403, "automations:send"]);
    const { email } = await addPerson(app, "member@example.com");
    assert.equal((await test({ to: [email] }, key)).status, 202);
    const person = await addSubscriber(app, listId, "bob@example.com");
    assert.equal((await test({ to: [email], subscriber_id: person["id"] }, key)).status, 403);
  });

  it("names what is wrong with who, where and what", async () => {
    assert.equal((await test({ to: ["no address"] })).body.errors[0].pointer, "/to/0");
    const elsewhere = await addSubscriber(app, await makeList(app), "elsewhere@example.com");
    const unknown = await test({ to: ["a@example.com"], subscriber_id: elsewhere["id"] });
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [422, "/subscriber_id"]);
    const draft = {
      format: 1,
      start: "end",
      entry: { on: [{ type: "manual" }] },
      nodes: { end: { type: "end" } },
    };
    const made = await app.api("POST", "/v1/automations", { body: { name: "None", list_id: listId, draft } });
    const none = await app.api("POST", `/v1/automations/${made.body.id}/test`, {
      body: { to: ["a@example.com"] },
    });
    assert.deepEqual([none.status, none.body.code], [422, "automation_not_ready"]);
  });
});
