import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { after, before, test } from "node:test";
import { hashToken, makeToken } from "../../src/accounts/token-format.ts";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import {
  addPerson,
  type Browser,
  cookieOf,
  openBrowser,
  PASSWORD,
  setToken,
  setUpOwner,
  signIn,
} from "../support/people.ts";

const EMAIL = "Owner@Example.com";
let app: TestApp;
let owner: Browser;
before(async () => {
  app = await createApp();
  owner = await setUpOwner(app, EMAIL);
});
after(() => app.stop());

const withCookie = (token: string, headers = {}) =>
  app.api("GET", "/v1/session", { key: null, headers: { cookie: cookieOf(token), ...headers } });

function withoutId(reply: Reply): unknown {
  const { request_id: _id, ...rest } = reply.body;
  return { status: reply.status, ...rest };
}

test("signing in answers with the session and sets a cookie that only this host gets", async () => {
  const { reply } = await signIn(app, "owner@EXAMPLE.com");
  assert.equal(reply.status, 201);
  assert.equal(reply.body.object, "session");
  assert.match(reply.body.id, /^ses_/);
  assert.equal(reply.body.account_id, app.accountId);
  assert.equal(reply.body.user.email, EMAIL);
  assert.equal(reply.body.user.role, "owner");
  assert.ok(reply.body.user.last_signed_in_at);
  assert.ok(!("password_hash" in reply.body.user));
  const [cookie = "", ...more] = reply.headers.getSetCookie();
  assert.deepEqual(more, []);
  assert.match(
    cookie,
    /^__Host-postrider_session=prs_[0-9A-Za-z]{54}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=1209600$/,
  );
});

test("the cookie opens the API as its user, and nothing of the token is stored", async () => {
  const session = await owner.send("GET", "/v1/session");
  assert.equal(session.status, 200);
  assert.equal(session.body.user.email, EMAIL);
  assert.equal((await owner.send("GET", "/v1/account")).body.id, app.accountId);
  const made = await owner.send("POST", "/v1/api_keys", { name: "By the owner", scopes: ["full"] });
  assert.equal(made.status, 201);
  const rows = await app.db.many<{ row: string }>(sql`select sessions::text as row from sessions`);
  const stored = rows.map(({ row }) => row).join();
  assert.ok(stored.includes(hashToken(owner.token).toString("hex")));
  assert.ok(!stored.includes(Buffer.from(owner.token).toString("hex")) && !stored.includes(owner.token));
});

test("an API key has no session, and nobody without either gets in", async () => {
  const byKey = await app.api("GET", "/v1/session");
  assert.equal(byKey.status, 404);
  assert.equal(byKey.body.code, "no_session");
  assert.equal((await app.api("DELETE", "/v1/session")).body.code, "no_session");
  const change = { current_password: PASSWORD, new_password: "another good password" };
  assert.equal((await app.api("POST", "/v1/session/password", { body: change })).body.code, "no_session");
  assert.equal((await app.api("GET", "/v1/session", { key: null })).status, 401);
});

test("a wrong password and an unknown address get the very same answer", async () => {
  const wrong = await signIn(app, EMAIL, "a wrong password");
  const unknown = await signIn(app, "nobody@example.com", "a wrong password");
  const malformed = await signIn(app, "not an address", "a wrong password");
  assert.equal(wrong.reply.status, 401);
  assert.equal(wrong.reply.body.code, "wrong_credentials");
  assert.ok(wrong.reply.headers.get("www-authenticate"));
  assert.deepEqual(withoutId(unknown.reply), withoutId(wrong.reply));
  assert.deepEqual(withoutId(malformed.reply), withoutId(wrong.reply));
  assert.deepEqual([...unknown.reply.headers.keys()].sort(), [...wrong.reply.headers.keys()].sort());
  assert.equal(setToken(wrong.reply), undefined);
});

test("an invited user without a password can't sign in with any", async () => {
  await app.api("POST", "/v1/invitations", { body: { email: "invited@example.com" } });
  for (const password of ["", "null", PASSWORD]) {
    const { reply } = await signIn(app, "invited@example.com", password);
    assert.equal(reply.status, password === "" ? 422 : 401);
  }
});

test("a password is the same whichever way it was typed, and survives at any script", async () => {
  const person = await addPerson(app, "forms@example.com");
  const changed = await person.browser.send("POST", "/v1/session/password", {
    current_password: PASSWORD,
    new_password: "pässwörd ﬁnе 密码 é",
  });
  assert.equal(changed.status, 200, changed.text);
  const decomposed = "pässwörd ﬁnе 密码 é".normalize("NFKD");
  assert.equal((await signIn(app, "forms@example.com", decomposed)).reply.status, 201);
});

test("signing out ends the session and clears the cookie", async () => {
  const { browser } = await signIn(app, EMAIL);
  const { token } = browser;
  const reply = await browser.send("DELETE", "/v1/session");
  assert.equal(reply.status, 204);
  assert.match(reply.headers.getSetCookie()[0] ?? "", /^__Host-postrider_session=; Path=\/; .*Max-Age=0$/);
  assert.equal(browser.token, "");
  assert.equal((await withCookie(token)).status, 401);
  assert.equal((await owner.send("GET", "/v1/session")).status, 200, "another session of the user lives on");
});

test("signing in again ends the session that the browser had", async () => {
  const { browser } = await signIn(app, EMAIL);
  const before = browser.token;
  await browser.send("POST", "/v1/session", { email: EMAIL, password: PASSWORD });
  assert.notEqual(browser.token, before);
  assert.equal((await withCookie(before)).status, 401);
  assert.equal((await withCookie(browser.token)).status, 200);
});

test("a change by a session must come from a page of ours", async () => {
  const port = new URL(app.baseUrl).port;
  const body = { name: "Forged" };
  const forged = [
    undefined,
    "null",
    "https://evil.example",
    `http://127.0.0.1:${Number(port) + 1}`,
    `https://127.0.0.1:${port}`,
    `${app.baseUrl}.evil.example`,
    `${app.baseUrl}/`,
    "",
  ];
  for (const origin of forged) {
    const headers = { cookie: cookieOf(owner.token), ...(origin !== undefined && { origin }) };
    for (const [method, path] of [
      ["PATCH", "/v1/account"],
      ["POST", "/v1/api_keys"],
      ["DELETE", "/v1/session"],
    ] as const) {
      const reply = await app.api(method, path, { key: null, headers, body });
      assert.equal(reply.status, 403, `${method} ${path} from ${origin}`);
      assert.equal(reply.body.code, "origin_mismatch");
      assert.ok(reply.headers.get("ratelimit"), "it counts like any other request");
    }
    const read = await app.api("GET", "/v1/account", { key: null, headers });
    assert.equal(read.status, 200, "reading is safe");
  }
  assert.notEqual((await app.api("GET", "/v1/account")).body.name, "Forged");
  assert.equal((await owner.send("GET", "/v1/session")).status, 200);
});

test("the address named by BASE_URL is a page of ours too", async () => {
  const port = await freePort();
  const named = `http://localhost:${port}`;
  const settings = { PORT: String(port), BASE_URL: named };
  const other = await createApp({ databaseUrl: app.databaseUrl, settings });
  try {
    for (const [origin, status] of [
      [named, 200],
      [`http://127.0.0.1:${port}`, 200],
      [`http://localhost:${port + 1}`, 403],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/account`, {
        method: "PATCH",
        headers: { cookie: cookieOf(owner.token), origin, "content-type": "application/json" },
        body: JSON.stringify({ name: "Ours" }),
      });
      assert.equal(response.status, status, origin);
    }
  } finally {
    await other.stop();
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("signing in from another site's page is refused", async () => {
  const browser = openBrowser(app);
  const headers = { origin: "https://evil.example" };
  const reply = await browser.send("POST", "/v1/session", { email: EMAIL, password: PASSWORD }, headers);
  assert.equal(reply.status, 403);
  assert.equal(reply.body.code, "origin_mismatch");
  const program = await app.api("POST", "/v1/session", {
    key: null,
    body: { email: EMAIL, password: PASSWORD },
  });
  assert.equal(program.status, 201, "a program that sends no Origin may sign in");
});

test("an Authorization header wins over a cookie", async () => {
  const bad = await withCookie(owner.token, { authorization: "Bearer pr_bad" });
  assert.equal(bad.status, 401);
  const key = await app.addKey(["account:read"]);
  const reply = await app.api("GET", "/v1/users", { key, headers: { cookie: cookieOf(owner.token) } });
  assert.equal(reply.status, 403);
});

test("a tampered cookie opens nothing", async () => {
  const other = await app.addAccount();
  const bytesOf = (token: string) => token.slice(4);
  const flipped = owner.token.slice(0, -1) + (owner.token.endsWith("A") ? "B" : "A");
  const elsewhere = makeToken("prs_", fromPublicId("acc", app.accountId) ?? "");
  const moved = makeToken("prs_", other.accountId, Buffer.alloc(20, 7));
  const forgeries = [
    flipped,
    elsewhere,
    moved,
    movedToAccount(owner.token, other.accountId),
    `pr_${bytesOf(owner.token)}`,
    `prl_${bytesOf(owner.token)}`,
    "prs_",
    "",
    "x".repeat(5_000),
  ];
  for (const token of forgeries) assert.equal((await withCookie(token)).status, 401, token.slice(0, 60));
  assert.equal((await withCookie(app.key)).status, 401, "an API key is no session");
  const asKey = await app.api("GET", "/v1/account", { key: owner.token });
  assert.equal(asKey.status, 401, "a session is no API key");
});

/** Returns a token with the same secret, another account and a correct checksum. */
function movedToAccount(token: string, accountId: string): string {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const number = [...token.slice(4)].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n);
  const bytes = Buffer.from(number.toString(16).padStart(80, "0"), "hex");
  return makeToken("prs_", accountId, bytes.subarray(16, 36));
}

test("on a plain-http address that isn't the machine itself, signing in says what to do", async () => {
  const answer = await post(app.baseUrl, { host: "192.168.1.5:4000" });
  assert.equal(answer.status, 400);
  assert.equal(answer.body.code, "insecure_address");
  assert.match(answer.body.detail, /https.*TRUST_PROXY.*127\.0\.0\.1/);
  const spoofed = await post(app.baseUrl, { host: "mail.example.com", "x-forwarded-proto": "https" });
  assert.equal(spoofed.status, 400, "a header that anyone can send is not believed");
  for (const host of ["localhost:4000", "127.0.0.1", "[::1]:4000"]) {
    assert.equal((await post(app.baseUrl, { host })).status, 201, host);
  }
});

test("behind a trusted proxy that speaks https, signing in works", async () => {
  const other = await createApp({ databaseUrl: app.databaseUrl, settings: { TRUST_PROXY: "1" } });
  try {
    const headers = {
      host: "mail.example.com",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "203.0.113.9",
      origin: "https://mail.example.com",
    };
    assert.equal((await post(other.baseUrl, headers)).status, 201);
  } finally {
    await other.stop();
  }
});

/** Builds the request by hand, because fetch sends the Host header of the address. */
function post(baseUrl: string, headers: Record<string, string>): Promise<Pick<Reply, "status" | "body">> {
  return new Promise((resolve, reject) => {
    const all = { "content-type": "application/json", ...headers };
    const sent = request(`${baseUrl}/v1/session`, { method: "POST", headers: all }, async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ email: EMAIL, password: PASSWORD }));
  });
}

test("no password, token or address is in the logs", () => {
  const text = app.logs.join("");
  assert.ok(app.logs.length > 10);
  for (const secret of [PASSWORD, "a wrong password", owner.token, "example.com", "prs_", "prl_"]) {
    assert.ok(!text.includes(secret), `${secret} is in the logs`);
  }
});
