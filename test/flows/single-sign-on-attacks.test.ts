/** Single sign-on against a provider that lies, is slow or is away, and against whoever replays, plants or lures. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson } from "../support/people.ts";
import { freePort } from "../support/ports.ts";
import {
  beginWithLiar,
  CLIENT_ID,
  type Liar,
  openSsoBrowser,
  signInWithLiar,
  ssoSettings,
  startLiar,
} from "../support/single-sign-on.ts";

let app: TestApp;
let liar: Liar;
let clock: TestClock;
before(async () => {
  liar = await startLiar();
  clock = createTestClock();
  app = await createApp({ clock, settings: await ssoSettings(liar.issuer, await freePort()) });
});
after(async () => {
  await app.stop();
  await liar.stop();
});

let count = 0;
const outcome = (reply: Reply) => [reply.status, reply.body.code];
const REFUSED = [403, "sso_refused"];
const EXPIRED = [400, "sso_expired"];

/** Somebody with a password here, and what an honest provider would say of them. */
async function known() {
  const person = await addPerson(app, `liar${++count}@example.com`);
  return { person, claims: { sub: `subject-${count}`, email: person.email, email_verified: true } };
}

describe("what a token says", () => {
  it("is believed where all of it is right", async () => {
    const { person, claims } = await known();
    const { reply } = await signInWithLiar(app, liar, claims);
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.body.user.id, person.id);
    assert.equal(liar.lastToken?.get("code_verifier")?.length, 43);
  });

  const second = () => Math.floor(Date.now() / 1_000);
  const lies: Record<string, () => Record<string, unknown>> = {
    "another nonce": () => ({ nonce: "another" }),
    "no nonce": () => ({ nonce: undefined }),
    "a foreign audience": () => ({ aud: "another-client" }),
    "two audiences without saying for whom": () => ({ aud: [CLIENT_ID, "another-client"] }),
    "a foreign issuer": () => ({ iss: "https://elsewhere.example.com" }),
    "an expired time": () => ({ exp: second() - 120, iat: second() - 600 }),
    "no subject": () => ({ sub: undefined }),
    "a subject with control characters": () => ({ sub: "a\u0000b" }),
  };
  for (const [name, lie] of Object.entries(lies))
    it(`is refused with ${name}`, async () => {
      const { claims } = await known();
      const { reply, browser } = await signInWithLiar(app, liar, { ...claims, ...lie() });
      assert.deepEqual(outcome(reply), REFUSED, reply.text);
      assert.equal(browser.token, "");
      assert.doesNotMatch(
        reply.body.detail,
        /nonce|audience|issuer|expired|subject/,
        "it tells a liar nothing",
      );
    });

  for (const alg of ["none", "HS256"] as const)
    it(`is refused where it is signed by ${alg}, though the provider lists that`, async () => {
      const { claims } = await known();
      liar.alg = alg;
      const { reply } = await signInWithLiar(app, liar, claims);
      liar.alg = "RS256";
      assert.deepEqual(outcome(reply), REFUSED);
    });

  it("is refused where a key signed it that the provider doesn't publish", async () => {
    const { claims } = await known();
    liar.usesForeignKey = true;
    const { reply } = await signInWithLiar(app, liar, claims);
    liar.usesForeignKey = false;
    assert.deepEqual(outcome(reply), REFUSED);
  });

  it("counts before the user info, which must be of the same person", async () => {
    const { person, claims } = await known();
    liar.userInfo = { sub: "somebody else", email: person.email, email_verified: true };
    const { reply } = await signInWithLiar(app, liar, { sub: claims.sub });
    assert.deepEqual(outcome(reply), REFUSED);
    liar.userInfo = { sub: claims.sub, email: person.email, email_verified: true };
    const unverified = { ...claims, email_verified: false };
    assert.deepEqual(outcome((await signInWithLiar(app, liar, unverified)).reply), [403, "sso_not_a_member"]);
    assert.equal((await signInWithLiar(app, liar, { sub: claims.sub })).reply.status, 201);
    liar.userInfo = undefined;
  });
});

describe("an address", () => {
  it("joins nobody unless it is verified, by the word true and nothing like it", async () => {
    const { claims } = await known();
    for (const word of [false, undefined, "true", 1, null]) {
      const { reply } = await signInWithLiar(app, liar, { ...claims, email_verified: word, xms_edov: true });
      assert.deepEqual(outcome(reply), [403, "sso_not_a_member"], String(word));
    }
    const rows = await app.db.many(sql`select from person_identities where subject = ${claims.sub}`);
    assert.equal(rows.length, 0);
  });

  it("of somebody who is linked already is no way to them for another subject", async () => {
    const { person, claims } = await known();
    assert.equal((await signInWithLiar(app, liar, claims)).reply.status, 201);
    const { reply } = await signInWithLiar(app, liar, { ...claims, sub: "another-subject" });
    assert.deepEqual(outcome(reply), [403, "sso_not_a_member"]);
    const moved = await signInWithLiar(app, liar, { ...claims, email: "moved@example.com" });
    assert.equal(moved.reply.body.user.id, person.id, "the subject counts, and not the address");
  });

  it("is refused alike for somebody who is known and somebody who isn't", async () => {
    const { claims } = await known();
    const unverified = { ...claims, email_verified: false };
    const one = await signInWithLiar(app, liar, unverified);
    const other = await signInWithLiar(app, liar, { ...unverified, sub: "x", email: "nobody@example.com" });
    const shown = ({ body }: Reply) => ({ ...body, request_id: undefined, instance: undefined });
    assert.deepEqual(shown(one.reply), shown(other.reply));
  });
});

describe("a sign-in", () => {
  it("is finished once, however often it is tried", async () => {
    const { claims } = await known();
    liar.claims = claims;
    const browser = openSsoBrowser(app);
    const answer = await beginWithLiar(browser, liar);
    const replies = await Promise.all([1, 2, 3, 4].map(() => browser.finish(answer)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 400, 400, 400]);
    assert.deepEqual(outcome(await browser.finish(answer)), EXPIRED);
  });

  it("isn't finished by a code under another state, nor by a state that was made up", async () => {
    const { claims } = await known();
    liar.claims = claims;
    const browser = openSsoBrowser(app);
    const first = await beginWithLiar(browser, liar);
    const second = await beginWithLiar(browser, liar);
    const mixed = await browser.finish({ ...first, state: second.state });
    assert.deepEqual(outcome(mixed), REFUSED, "the nonce is of another sign-in");
    assert.deepEqual(outcome(await browser.finish({ ...first, state: "made-up" })), EXPIRED);
    assert.equal((await browser.finish(first)).status, 201, "the other tab is finished all the same");
  });

  it("isn't finished in another browser, into which somebody was lured", async () => {
    const { claims } = await known();
    liar.claims = claims;
    const attacker = openSsoBrowser(app);
    const answer = await beginWithLiar(attacker, liar);
    const victim = openSsoBrowser(app);
    assert.deepEqual(outcome(await victim.finish(answer)), EXPIRED);
    await beginWithLiar(victim, liar);
    assert.deepEqual(outcome(await victim.finish(answer)), EXPIRED, "nor with a cookie of its own");
    assert.equal(victim.token, "");
  });

  it("is over after ten minutes", async () => {
    const { claims } = await known();
    liar.claims = claims;
    const browser = openSsoBrowser(app);
    const answer = await beginWithLiar(browser, liar);
    clock.advance(10 * 60_000);
    assert.deepEqual(outcome(await browser.finish(answer)), EXPIRED);
    await beginWithLiar(browser, liar);
    const rows = await app.db.many(sql`select from sso_sign_ins where expires_at <= ${clock.now()}`);
    assert.equal(rows.length, 0, "what was left behind is taken away");
  });

  it("is refused where another issuer answers, or none says who it is", async () => {
    const { claims } = await known();
    liar.claims = claims;
    const browser = openSsoBrowser(app);
    const mixedUp = { ...(await beginWithLiar(browser, liar)), iss: "https://elsewhere.example.com" };
    assert.deepEqual(outcome(await browser.finish(mixedUp)), REFUSED);
    const { iss: _iss, ...silent } = await beginWithLiar(browser, liar);
    assert.deepEqual(outcome(await browser.finish(silent)), REFUSED);
  });

  it("ends where the provider says no", async () => {
    const browser = openSsoBrowser(app);
    const { state, iss } = await beginWithLiar(browser, liar);
    const error = "access_denied<script>alert(1)</script>";
    const reply = await browser.finish({ state, iss, error });
    assert.deepEqual(outcome(reply), REFUSED);
    assert.doesNotMatch(reply.text, /script/);
  });

  it("is begun and finished from our own pages alone", async () => {
    const headers = { origin: "https://evil.example.com" };
    for (const [path, body] of [
      ["/v1/session/sso", {}],
      ["/v1/session/sso/callback", { state: "a", code: "b" }],
    ] as const) {
      const reply = await app.api("POST", path, { key: null, body, headers });
      assert.deepEqual(outcome(reply), [403, "origin_mismatch"]);
    }
  });
});

describe("a provider that is away", () => {
  it("is said to be, and nothing is left open", async () => {
    const other = await startLiar();
    const port = await freePort();
    const apart = await createApp({ settings: await ssoSettings(other.issuer, port) });
    try {
      other.fault = 503;
      assert.deepEqual(outcome((await openSsoBrowser(apart).begin()).reply), [503, "sso_unavailable"]);
      other.fault = undefined;
      const browser = openSsoBrowser(apart);
      const answer = await beginWithLiar(browser, other);
      await beginWithLiar(browser, other);
      assert.equal(other.asked.get("/.well-known/openid-configuration"), 2, "what it publishes is kept");
      other.fault = "hang";
      const before = performance.now();
      assert.deepEqual(outcome(await browser.finish(answer)), [503, "sso_unavailable"]);
      assert.ok(performance.now() - before < 9_000, "nobody waits for long");
      await other.stop();
      const again = await openSsoBrowser(apart).begin();
      assert.equal(again.reply.status, 201, "to begin needs only what is kept");
    } finally {
      await apart.stop();
    }
  });

  it("leaves the service without single sign-on as it was", async () => {
    const plain = await createApp();
    try {
      assert.deepEqual(outcome((await openSsoBrowser(plain).begin()).reply), [409, "sso_off"]);
      const methods = await plain.api("GET", "/v1/sign_in_methods", { key: null });
      assert.equal(methods.body.single_sign_on, null);
    } finally {
      await plain.stop();
    }
  });
});

describe("who begins very often", () => {
  it("has to wait", async () => {
    clock.advance(3_600_000);
    let last: Reply | undefined;
    for (let i = 0; i < 102 && last?.status !== 429; i++) last = (await openSsoBrowser(app).begin()).reply;
    assert.deepEqual(last && outcome(last), [429, "too_many_attempts"]);
  });
});

describe("the log", () => {
  it("tells the operator why, and holds no code, no token and no state", async () => {
    const { claims } = await known();
    clock.advance(3_600_000);
    liar.claims = { ...claims, aud: "another-client" };
    const browser = openSsoBrowser(app);
    const answer = await beginWithLiar(browser, liar);
    await browser.finish(answer);
    const lines = app.logs.join("\n");
    assert.match(lines, /an answer of single sign-on was refused/);
    for (const secret of [answer.state, answer.code, browser.binding, "an access token"])
      assert.ok(!lines.includes(secret), secret);
  });
});
