import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SCOPES } from "../../src/accounts/accounts.ts";
import { scopesOfRole } from "../../src/accounts/roles.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson, PASSWORD, type Role, signIn, tokenOfLink } from "../support/people.ts";

let app: TestApp;
let other: { accountId: string; key: string };
before(async () => {
  app = await createApp();
  other = await app.addAccount();
});
after(() => app.stop());

const join = (email: string, role: Role = "marketer", key = app.key) => addPerson(app, email, role, key);
const codes = (reply: { body: { errors: { pointer: string; code: string }[] } }) =>
  reply.body.errors.map((error) => `${error.pointer} ${error.code}`);

test("a user's life: read, listed, changed, removed", async () => {
  const account = await app.addAccount();
  const key = account.key;
  await join("owner@example.com", "owner", key);
  const { id } = await join("Jane@Example.com", "marketer", key);
  const path = `/v1/users/${id}`;
  const read = await app.api("GET", path, { key });
  const { body: user } = read;
  assert.deepEqual([user.email, user.role, user.object], ["Jane@Example.com", "marketer", "user"]);
  assert.ok(user.last_signed_in_at);
  const list = await app.api("GET", "/v1/users?include_total=true", { key });
  assert.deepEqual([list.body.data[0], list.body.total], [user, 2]);
  const stale = { "if-match": '"stale"' };
  assert.equal((await app.api("PATCH", path, { key, body: { name: "X" }, headers: stale })).status, 412);
  const fresh = { "if-match": read.headers.get("etag") ?? "" };
  const changed = await app.api("PATCH", path, { key, body: { name: "Jane Roe" }, headers: fresh });
  assert.equal(changed.body.name, "Jane Roe");
  assert.equal((await app.api("POST", `${path}/password_link`, { key })).status, 201);
  assert.equal((await app.api("DELETE", path, { key })).status, 204);
  assert.equal((await app.api("GET", path, { key })).status, 404);
  assert.equal((await app.api("DELETE", path, { key })).status, 404);
  const links = await app.db.many(sql`
    select 1 from user_links where account_id = ${account.accountId} and used_at is null and user_id is not null`);
  assert.equal(links.length, 0, "the link went with the user");
});

test("users are listed newest first, in pages", async () => {
  const account = await app.addAccount();
  for (let i = 0; i < 5; i++) await join(`page${i}@example.com`, "viewer", account.key);
  const seen: string[] = [];
  let cursor = "";
  for (let page = 0; page < 3; page++) {
    const path = `/v1/users?limit=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await app.api("GET", path, { key: account.key });
    seen.push(...body.data.map((user: { email: string }) => user.email));
    cursor = body.next_cursor;
  }
  assert.deepEqual(
    seen,
    [4, 3, 2, 1, 0].map((i) => `page${i}@example.com`),
  );
  assert.equal(cursor, null);
});

test("bad input is named", async () => {
  const { id } = await join("bad@example.com");
  const patch = (body: unknown) => app.api("PATCH", `/v1/users/${id}`, { body });
  assert.deepEqual(codes(await patch({ email: "other@example.com" })), ["/email unknown_field"]);
  assert.deepEqual(codes(await patch({ name: "a\nb" })), ["/name invalid_character"]);
  assert.deepEqual(codes(await patch({ role: "member" })), ["/role invalid_value"]);
  assert.equal((await patch({ name: null })).status, 422);
});

test("another account's users can't be seen or touched", async () => {
  const user = await join("ours@example.com");
  for (const [method, path, body] of [
    ["GET", `/v1/users/${user.id}`, undefined],
    ["PATCH", `/v1/users/${user.id}`, { name: "Theirs" }],
    ["DELETE", `/v1/users/${user.id}`, undefined],
    ["POST", `/v1/users/${user.id}/password_link`, undefined],
  ] as const) {
    const reply = await app.api(method, path, { key: other.key, ...(body && { body }) });
    assert.equal(reply.status, 404, `${method} ${path}`);
  }
  const { body: theirs } = await app.api("GET", "/v1/users", { key: other.key });
  assert.ok(!theirs.data.some(({ email }: { email: string }) => email === "ours@example.com"));
});

test("a member may do all but manage the account, its keys and users", async () => {
  const { browser } = await addPerson(app, "member@example.com");
  const user = await join("victim@example.com");
  for (const [method, path, status] of [
    ["GET", "/v1/account", 200],
    ["GET", "/v1/users", 200],
    ["GET", `/v1/users/${user.id}`, 200],
    ["PATCH", "/v1/account", 403],
    ["GET", "/v1/api_keys", 403],
    ["POST", "/v1/api_keys", 403],
    ["POST", "/v1/invitations", 403],
    ["PATCH", `/v1/users/${user.id}`, 403],
    ["DELETE", `/v1/users/${user.id}`, 403],
    ["POST", `/v1/users/${user.id}/password_link`, 403],
  ] as const) {
    assert.equal((await browser.send(method, path)).status, status, `${method} ${path}`);
  }
});

test("a key that may write users can't make itself more than it is", async () => {
  const owner = await join("big@example.com", "owner");
  const member = await join("small@example.com");
  const narrow = await app.addKey(["users:write"]);
  const wide = await app.addKey(SCOPES.filter((scope) => scope !== "full"));
  const try_ = (key: string, path: string, method = "POST", body?: unknown) =>
    app.api(method, path, { key, ...(body !== undefined && { body }) });
  for (const [key, path, method, body] of [
    [narrow, "/v1/invitations", "POST", { email: "n@example.com" }],
    [wide, "/v1/invitations", "POST", { email: "n@example.com", role: "owner" }],
    [wide, `/v1/users/${member.id}`, "PATCH", { role: "owner" }],
    [narrow, `/v1/users/${member.id}/password_link`, "POST", undefined],
    [wide, `/v1/users/${owner.id}/password_link`, "POST", undefined],
  ] as const) {
    const reply = await try_(key, path, method, body);
    assert.equal(reply.status, 403, `${method} ${path}`);
    assert.equal(reply.body.code, "missing_scope");
  }
  assert.equal((await try_(wide, "/v1/invitations", "POST", { email: "n@example.com" })).status, 201);
  assert.equal((await try_(wide, `/v1/users/${member.id}/password_link`)).status, 201);
});

test("nobody changes, lowers, removes or makes a link for whoever is above them, by key or by session", async () => {
  const account = await app.addAccount();
  const everything = SCOPES.filter((scope) => scope !== "full");
  const marketersScopes = [...scopesOfRole("marketer"), "users:write"];
  const boss = await addPerson(app, "boss@example.com", "owner", account.key);
  const plain = await addPerson(app, "plain@example.com", "marketer", account.key);
  const byKey = (scopes: readonly string[]) => async (method: string, path: string, body?: unknown) =>
    app.api(method, path, {
      key: await app.addKey(scopes, account.accountId),
      ...(body !== undefined && { body }),
    });
  type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; text: string }>;
  const actors: [who: string, send: Send, mayTouch: readonly string[]][] = [
    ["an owner", (...args) => boss.browser.send(...args), ["owner", "marketer"]],
    ["a member", (...args) => plain.browser.send(...args), []],
    ["a key with full", byKey(["full"]), ["owner", "marketer"]],
    ["a key with users:write alone", byKey(["users:write"]), []],
    ["a key with a marketer's scopes and users:write", byKey(marketersScopes), ["marketer"]],
    ["a key with all but full", byKey(everything), ["marketer"]],
  ];
  let count = 0;
  const pathOf = async (role: Role) => {
    const { id } = await join(`pair${++count}@example.com`, role, account.key);
    return `/v1/users/${id}`;
  };
  for (const [who, send, mayTouch] of actors) {
    for (const present of ["owner", "marketer"] as const) {
      const expect = async (
        what: string,
        wanted: readonly string[],
        good: number,
        act: () => ReturnType<Send>,
      ) => {
        const { status, text } = await act();
        const isAllowed = wanted.every((role) => mayTouch.includes(role));
        assert.equal(status, isAllowed ? good : 403, `${who}: ${what} ${wanted.join(" to ")}: ${text}`);
      };
      const path = await pathOf(present);
      const email = `pair${++count}@example.com`;
      await expect("invite", [present], 201, () => send("POST", "/v1/invitations", { email, role: present }));
      await expect("rename", [present], 200, () => send("PATCH", path, { name: "X" }));
      await expect("make a link for", [present], 201, () => send("POST", `${path}/password_link`));
      for (const to of ["owner", "marketer"]) {
        const other = await pathOf(present);
        await expect("change", [present, to], 200, () => send("PATCH", other, { role: to }));
      }
      await expect("remove", [present], 204, () => send("DELETE", path));
    }
  }
  const kept = await app.api("GET", "/v1/users?limit=200", { key: account.key });
  const roles = Object.fromEntries(
    kept.body.data.map(({ email, role }: { email: string; role: string }) => [email, role]),
  );
  assert.deepEqual([roles["boss@example.com"], roles["plain@example.com"]], ["owner", "marketer"]);
});

test("an owner may lower and remove themselves, unless they are the last", async () => {
  const account = await app.addAccount();
  const one = await addPerson(app, "self1@example.com", "owner", account.key);
  const two = await addPerson(app, "self2@example.com", "owner", account.key);
  assert.equal((await one.browser.send("PATCH", `/v1/users/${one.id}`, { role: "marketer" })).status, 200);
  assert.equal((await one.browser.send("PATCH", `/v1/users/${one.id}`, { role: "owner" })).status, 403);
  assert.equal(
    (await one.browser.send("DELETE", `/v1/users/${one.id}`)).status,
    403,
    "a member removes nobody",
  );
  const last = await two.browser.send("DELETE", `/v1/users/${two.id}`);
  assert.deepEqual([last.status, last.body.code], [409, "last_owner"]);
});

test("a link that was made for a member opens nothing once the member is an owner", async () => {
  const { id } = await join("rising@example.com");
  const made = await app.api("POST", `/v1/users/${id}/password_link`);
  const token = tokenOfLink(made.body.url);
  const inspect = () => app.api("POST", "/v1/password_links/inspect", { key: null, body: { token } });
  assert.equal((await inspect()).status, 200);
  assert.equal((await app.api("PATCH", `/v1/users/${id}`, { body: { name: "Same role" } })).status, 200);
  assert.equal((await inspect()).status, 200);
  assert.equal((await app.api("PATCH", `/v1/users/${id}`, { body: { role: "owner" } })).status, 200);
  assert.deepEqual([(await inspect()).status, (await inspect()).body.code], [404, "link_unknown"]);
});

test("an account keeps an owner who can sign in", async () => {
  const account = await app.addAccount();
  const send = (method: string, id: string, body?: unknown) =>
    app.api(method, `/v1/users/${id}`, { key: account.key, ...(body !== undefined && { body }) });
  const first = await addPerson(app, "first@example.com", "owner", account.key);
  for (const reply of [await send("DELETE", first.id), await send("PATCH", first.id, { role: "marketer" })]) {
    assert.equal(reply.status, 409);
    assert.equal(reply.body.code, "last_owner");
  }
  assert.equal((await send("PATCH", first.id, { role: "owner", name: "Still" })).status, 200);
  const body = { email: "second@example.com", role: "owner" };
  assert.equal((await app.api("POST", "/v1/invitations", { key: account.key, body })).status, 201);
  const early = await send("DELETE", first.id);
  assert.equal(early.body.code, "last_owner", "an owner who never set a password can't stand in");
  const second = await addPerson(app, "third@example.com", "owner", account.key);
  assert.equal((await second.browser.send("DELETE", `/v1/users/${first.id}`)).status, 204);
});

test("of two owners who remove each other at once, one stays", async () => {
  for (let round = 0; round < 5; round++) {
    const account = await app.addAccount();
    const one = await addPerson(app, `one${round}@example.com`, "owner", account.key);
    const two = await addPerson(app, `two${round}@example.com`, "owner", account.key);
    const replies = await Promise.all([
      one.browser.send("DELETE", `/v1/users/${two.id}`),
      two.browser.send("PATCH", `/v1/users/${one.id}`, { role: "marketer" }),
    ]);
    // The loser is refused by the rule, or because its own session was just removed, or because it lost its role.
    assert.equal(replies.filter((reply) => reply.status < 300).length, 1, JSON.stringify(replies));
    const { body } = await app.api("GET", "/v1/users", { key: account.key });
    assert.equal(body.data.filter((user: { role: string }) => user.role === "owner").length, 1);
  }
  const account = await app.addAccount();
  const ids = await Promise.all(
    [1, 2, 3].map(async (i) => (await join(`key${i}@example.com`, "owner", account.key)).id),
  );
  const replies = await Promise.all(
    ids.map((id) => app.api("DELETE", `/v1/users/${id}`, { key: account.key })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [204, 204, 409]);
});

test("what happens to users stands in the event log, by ids alone", async () => {
  const account = await app.addAccount();
  const owner = await addPerson(app, "events@example.com", "owner", account.key);
  const user = await join("gone@example.com", "viewer", account.key);
  await owner.browser.send("PATCH", `/v1/users/${user.id}`, { name: "Secret Name" });
  await owner.browser.send("DELETE", `/v1/users/${user.id}`);
  await signIn(app, "events@example.com");
  await signIn(app, "events@example.com", "a wrong password");
  await owner.browser.send("POST", "/v1/session/password", {
    current_password: PASSWORD,
    new_password: "sturdy mule charger clip",
  });
  const rows = await app.db.many<{ type: string; row: string; actor_id: string | null }>(
    sql`select type, actor_id, events::text as row from events where account_id = ${account.accountId}
        and type like 'user.%' order by created_at, id`,
  );
  assert.deepEqual(
    rows.map((row) => [row.type, row.actor_id === owner.id]),
    [
      ["user.created", true],
      ["user.password_changed", true],
      ["user.signed_in", true],
      ["user.created", false],
      ["user.password_changed", false],
      ["user.signed_in", false],
      ["user.updated", true],
      ["user.deleted", true],
      ["user.signed_in", true],
      ["user.password_changed", true],
    ],
  );
  assert.ok(!/example\.com|Secret|Soon|prs_|prl_|argon2/.test(JSON.stringify(rows)));
});
