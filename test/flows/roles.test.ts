/** What the five roles may do beyond the scope of a route, and what nobody may do for themselves. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ROLES, type Role, SCOPES } from "../../src/accounts/accounts.ts";
import { scopesOfRole } from "../../src/accounts/roles.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson, openBrowser, PASSWORD, type Person, tokenOfLink } from "../support/people.ts";

let app: TestApp;
let people: Readonly<Record<Role, Person>>;
before(async () => {
  app = await createApp();
  const made: [Role, Person][] = [];
  for (const role of ROLES) made.push([role, await addPerson(app, `${role}@example.com`, role)]);
  people = Object.fromEntries(made) as Record<Role, Person>;
});
after(() => app.stop());

async function makeCampaign(): Promise<string> {
  const { body: list } = await app.api("POST", "/v1/lists", { body: { name: "News" } });
  const campaign = { name: "News", list_id: list.id, subject: "News", html: "<p>News</p>" };
  const made = await app.api("POST", "/v1/campaigns", { body: campaign });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

test("the session says what its user may do", async () => {
  for (const role of ROLES) {
    const { body } = await people[role].browser.send("GET", "/v1/session");
    assert.deepEqual(body.scopes, scopesOfRole(role), role);
  }
});

test("nobody raises their own role, and an unknown one is none", async () => {
  for (const [index, role] of ROLES.entries()) {
    const { browser, id } = people[role];
    for (const higher of ROLES.slice(0, index)) {
      const reply = await browser.send("PATCH", `/v1/users/${id}`, { role: higher });
      assert.equal(reply.status, 403, `${role} to ${higher}`);
    }
  }
  for (const role of ["member", "root", "Owner", "", null, ["owner"]]) {
    const reply = await app.api("PATCH", `/v1/users/${people.viewer.id}`, { body: { role } });
    assert.equal(reply.status, 422, String(role));
  }
});

test("an admin manages everybody but owners", async () => {
  const { browser } = people.admin;
  const invite = (role: Role) =>
    browser.send("POST", "/v1/invitations", { email: `by-admin-${role}@example.com`, role });
  assert.equal((await invite("owner")).status, 403);
  for (const role of ROLES.slice(1)) assert.equal((await invite(role)).status, 201, role);
  const path = `/v1/users/${people.owner.id}`;
  for (const reply of [
    await browser.send("PATCH", path, { role: "viewer" }),
    await browser.send("PATCH", path, { name: "X" }),
    await browser.send("DELETE", path),
    await browser.send("POST", `${path}/password_link`),
  ]) {
    assert.deepEqual([reply.status, reply.body.required_scope], [403, "full"]);
  }
});

test("a key has no scope that its maker lacks", async () => {
  const { browser } = people.admin;
  const make = (scopes: readonly string[]) => browser.send("POST", "/v1/api_keys", { name: "Key", scopes });
  const ofOwners = ["full", "instance:read", "account:export", "sso:read", "sso:write", "billing:write"];
  for (const scope of ofOwners) {
    const reply = await make([scope]);
    assert.deepEqual([reply.status, reply.body.required_scope], [403, scope]);
  }
  const rest = SCOPES.filter((scope) => !ofOwners.includes(scope));
  assert.equal((await make(rest)).status, 201);
  const narrow = await app.addKey(["api_keys:write", "lists:read"]);
  const wider = await app.api("POST", "/v1/api_keys", {
    key: narrow,
    body: { name: "Wider", scopes: ["subscribers:read"] },
  });
  assert.equal(wider.status, 403, "subscribers:read includes more than lists");
  const { body: key } = await app.api("POST", "/v1/api_keys", { body: { name: "Full", scopes: ["full"] } });
  assert.equal((await browser.send("DELETE", `/v1/api_keys/${key.id}`)).status, 403);
});

test("a writer sends tests to people of the account, and to nobody else", async () => {
  const id = await makeCampaign();
  const { browser } = people.writer;
  const send = (to: readonly string[]) => browser.send("POST", `/v1/campaigns/${id}/test`, { to });
  const allowed = await send(["Writer@Example.com", "owner@example.com"]);
  assert.equal(allowed.status, 202, allowed.text);
  await app.api("POST", "/v1/invitations", { body: { email: "only-invited@example.com" } });
  for (const to of [
    ["stranger@example.net"],
    ["owner@example.com", "stranger@example.net"],
    ["only-invited@example.com"],
  ]) {
    const reply = await send(to);
    assert.deepEqual([reply.status, reply.body.required_scope], [403, "campaigns:send"], to.join());
  }
  const { body: caught } = await app.api("GET", "/v1/sandbox/messages");
  assert.equal(caught.data.filter(({ to }: { to: string }) => to.includes("stranger")).length, 0);
  assert.equal((await browser.send("POST", `/v1/campaigns/${id}/send`)).status, 403);
  const byMarketer = await people.marketer.browser.send("POST", `/v1/campaigns/${id}/test`, {
    to: ["stranger@example.net"],
  });
  assert.equal(byMarketer.status, 202, byMarketer.text);
});

test("a changed role holds with the next request, in another process too", async () => {
  const second = await createApp({ databaseUrl: app.databaseUrl });
  try {
    const { browser, id } = await addPerson(app, "changing@example.com", "viewer");
    const elsewhere = async () =>
      (
        await second.api("GET", "/v1/subscribers", {
          key: null,
          headers: { cookie: `__Host-postrider_session=${browser.token}` },
        })
      ).status;
    assert.equal(await elsewhere(), 403);
    await app.api("PATCH", `/v1/users/${id}`, { body: { role: "marketer" } });
    assert.equal(await elsewhere(), 200);
  } finally {
    await second.stop();
  }
});

test("of two last owners who are removed and lowered at once, one stays", async () => {
  for (let round = 0; round < 5; round++) {
    const account = await app.addAccount();
    const one = await addPerson(app, `last-one${round}@example.com`, "owner", account.key);
    const two = await addPerson(app, `last-two${round}@example.com`, "owner", account.key);
    await Promise.all([
      app.api("DELETE", `/v1/users/${one.id}`, { key: account.key }),
      app.api("PATCH", `/v1/users/${two.id}`, { key: account.key, body: { role: "admin" } }),
    ]);
    const { body } = await app.api("GET", "/v1/users", { key: account.key });
    const owners = body.data.filter(({ role }: { role: string }) => role === "owner");
    assert.equal(owners.length, 1);
  }
});

test("viewers and writers see nothing of a single subscriber through a campaign", async () => {
  const id = await makeCampaign();
  const { body: campaign } = await app.api("GET", `/v1/campaigns/${id}`);
  const body = { email: "reader@example.net", list_id: campaign.list_id };
  const made = await app.api("POST", "/v1/subscribers", { body });
  assert.equal(made.status, 201, made.text);
  const subscriber_id = made.body.id;
  const to = ["owner@example.com"];
  const asked = [
    ["GET", `/v1/campaigns/${id}/recipients`],
    ["GET", `/v1/campaigns/${id}/html?subscriber_id=${subscriber_id}`],
    ["GET", `/v1/merge_names?subscriber_id=${subscriber_id}`],
    ["POST", `/v1/campaigns/${id}/preview`, { subscriber_id }],
    ["POST", `/v1/campaigns/${id}/test`, { subscriber_id, to }],
  ] as const;
  for (const [method, path, sent] of asked) {
    const reply = await people.writer.browser.send(method, path, sent);
    assert.deepEqual([reply.status, reply.body.required_scope], [403, "campaigns:recipients"], path);
    assert.notEqual((await people.viewer.browser.send(method, path, sent)).status, 200, path);
    const byMarketer = await people.marketer.browser.send(method, path, sent);
    assert.notEqual(byMarketer.status, 403, `${path}: ${byMarketer.text}`);
  }
  for (const path of ["/v1/merge_names", `/v1/campaigns/${id}`]) {
    assert.equal((await people.viewer.browser.send("GET", path)).status, 200, path);
  }
  const preview = await people.viewer.browser.send("POST", `/v1/campaigns/${id}/preview`, {});
  assert.equal(preview.status, 200, "as somebody made up");
  const key = await app.addKey(["campaigns:read"]);
  assert.equal((await app.api("GET", `/v1/campaigns/${id}/recipients`, { key })).status, 200);
});

test("a writer changes no campaign that is about to leave", async () => {
  const id = await makeCampaign();
  const { browser } = people.writer;
  const path = `/v1/campaigns/${id}`;
  assert.equal((await browser.send("PATCH", path, { subject: "As a draft" })).status, 200);
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await app.api("POST", `${path}/schedule`, { body: { send_at } });
  assert.equal(scheduled.status, 200, scheduled.text);
  for (const step of ["as scheduled", "as paused"]) {
    if (step === "as paused") assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    for (const reply of [
      await browser.send("PATCH", path, { subject: "Another" }),
      await browser.send("POST", `${path}/versions/1/restore`),
    ]) {
      assert.deepEqual([reply.status, reply.body.required_scope], [403, "campaigns:send"], step);
    }
    const seen = async (one: Person) => (await one.browser.send("GET", path)).body.allowed_actions;
    assert.ok(!(await seen(people.writer)).includes("update"), step);
    assert.ok((await seen(people.marketer)).includes("update"), step);
    const byMarketer = await people.marketer.browser.send("PATCH", path, { subject: step });
    assert.equal(byMarketer.status, 200, byMarketer.text);
  }
});

test("a writer makes and deletes no people, lists or segments by the way", async () => {
  const id = await makeCampaign();
  const { browser } = people.writer;
  for (const reply of [
    await browser.send("POST", "/v1/sample_data"),
    await browser.send("DELETE", "/v1/sample_data"),
    await browser.send("POST", `/v1/campaigns/${id}/resend`),
  ]) {
    assert.deepEqual([reply.status, reply.body.required_scope], [403, "subscribers:write"], reply.text);
  }
  assert.equal((await people.marketer.browser.send("POST", "/v1/sample_data")).status, 200);
  const key = await app.addKey(["campaigns:write", "subscribers:write"]);
  const removed = await app.api("DELETE", "/v1/sample_data", { key });
  assert.deepEqual([removed.status, removed.body.required_scope], [403, "campaigns:send"]);
  assert.equal((await people.marketer.browser.send("DELETE", "/v1/sample_data")).status, 204);
});

test("a name that a user gives while joining doesn't undo a role that is lowered at once", async () => {
  for (let round = 0; round < 3; round++) {
    const { id, email } = await addPerson(app, `lowered${round}@example.com`, "admin");
    const { body } = await app.api("POST", `/v1/users/${id}/password_link`);
    const token = tokenOfLink(body.url);
    const redeemed = openBrowser(app).send("POST", "/v1/password_links/redeem", {
      token,
      password: PASSWORD,
      name: "Renamed",
    });
    const lowered = app.api("PATCH", `/v1/users/${id}`, { body: { role: "viewer" } });
    assert.deepEqual([(await redeemed).status, (await lowered).status], [201, 200], email);
    const { body: user } = await app.api("GET", `/v1/users/${id}`);
    assert.deepEqual([user.role, user.name], ["viewer", "Renamed"]);
  }
});
