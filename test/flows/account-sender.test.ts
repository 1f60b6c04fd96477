/** These tests use the account's own sender and postal address, which apply where neither campaign nor list has one. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, makeAudience, makeCampaign } from "../support/campaigns.ts";
import { eventsSince, type Json } from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  listId = await makeAudience(app);
});
after(() => app.stop());

const sender = {
  from_name: "Acme",
  from_email: "news@acme.example",
  reply_to: "hello@acme.example",
  postal_address: "1 High Street, London N1 1AA, UK",
};
const none = { from_name: null, from_email: null, reply_to: null, postal_address: null };

const patch = (body: Json, headers: Record<string, string> = {}) =>
  app.api("PATCH", "/v1/account", { body, headers });
const senderIn = (body: Json) => Object.fromEntries(Object.keys(sender).map((field) => [field, body[field]]));

test("an account has a sender, which can be set, changed and cleared", async () => {
  const fresh = await app.api("GET", "/v1/account");
  assert.deepEqual(senderIn(fresh.body), none);
  const { cursor } = await eventsSince(app);

  const set = await patch(sender);
  assert.deepEqual([set.status, senderIn(set.body)], [200, sender], set.text);
  assert.deepEqual(senderIn((await app.api("GET", "/v1/account")).body), sender);
  assert.notEqual(set.headers.get("etag"), fresh.headers.get("etag"));
  const stale = await patch({ name: "Acme" }, { "if-match": String(fresh.headers.get("etag")) });
  assert.equal(stale.status, 412);

  const renamed = await patch({ from_name: "Acme News", reply_to: null });
  assert.deepEqual(senderIn(renamed.body), { ...sender, from_name: "Acme News", reply_to: null });
  assert.deepEqual(senderIn((await patch(none)).body), none);

  const { events } = await eventsSince(app, cursor);
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.changed]),
    [
      ["account.updated", ["from_name", "from_email", "reply_to", "postal_address"]],
      ["account.updated", ["from_name", "reply_to"]],
      ["account.updated", ["from_name", "from_email", "postal_address"]],
    ],
  );
});

test("a sender that is none is refused, and every bad address is named", async () => {
  const reply = await patch({ from_email: "nobody", reply_to: "a@b@c", from_name: "x".repeat(201) });
  assert.equal(reply.status, 422);
  assert.deepEqual(
    reply.body.errors.map((one: Json) => one["pointer"]),
    ["/from_name"],
  );
  for (const from_name of ["", "  ", "A\r\nBcc: b@example.com", "evil\u202egnp", "a\u2028b", "\u0007"]) {
    const refused = await patch({ from_name });
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, "/from_name"], from_name);
  }
  const addresses = await patch({ from_email: "nobody", reply_to: "a@b@c" });
  assert.equal(addresses.status, 422);
  assert.deepEqual(
    addresses.body.errors.map((one: Json) => [one["pointer"], one["code"]]),
    [
      ["/from_email", "invalid_email"],
      ["/reply_to", "invalid_email"],
    ],
  );
});

test("mail is from the campaign's sender, else the list's, else the account's", async () => {
  const { id } = await makeCampaign(app, listId);
  const preview = async () => {
    const { from, reply_to, text } = (await act(app, id, "preview")).body;
    return { from, reply_to, hasAddress: text.includes(sender.postal_address) };
  };
  await patch(sender);
  assert.deepEqual(await preview(), {
    from: { name: "Acme", email: "news@acme.example" },
    reply_to: "hello@acme.example",
    hasAddress: true,
  });
  const ofList = { from_email: "list@acme.example", postal_address: "2 Low Road, Leeds" };
  await app.api("PATCH", `/v1/lists/${listId}`, { body: ofList });
  const name = (await app.api("GET", "/v1/account")).body.name;
  assert.deepEqual(await preview(), {
    from: { name, email: "list@acme.example" },
    reply_to: "hello@acme.example",
    hasAddress: false,
  });
  await app.api("PATCH", `/v1/campaigns/${id}`, { body: { from_name: "Ada" } });
  assert.deepEqual((await preview()).from, { name: "Ada", email: "list@acme.example" });
  await app.api("PATCH", `/v1/lists/${listId}`, { body: { from_email: null, postal_address: null } });
  await patch(none);
});

test("with a relay, the account's sender and postal address are enough", async () => {
  const other = await createApp({
    databaseUrl: app.databaseUrl,
    settings: {
      ROLES: "api",
      SMTP_URL: "smtp://relay.example.com:587",
      PUBLIC_URL: "https://mail.example.org",
    },
    served: WITH_UNSUBSCRIBE,
  });
  try {
    const { id } = await makeCampaign(other, listId);
    const refused = await act(other, id, "send");
    assert.deepEqual(
      refused.body.errors.map((one: Json) => one["code"]),
      ["missing_from", "missing_postal_address"],
    );
    await patch({ from_email: sender.from_email, postal_address: sender.postal_address });
    const { checks } = (await other.api("GET", `/v1/campaigns/${id}/checks`)).body;
    const codes = checks.map((one: Json) => one["code"]);
    assert.ok(!codes.includes("missing_from") && !codes.includes("missing_postal_address"), codes.join());
  } finally {
    await other.stop();
    await patch(none);
  }
});
