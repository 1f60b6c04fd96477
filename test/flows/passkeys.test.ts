/** Passkeys: added, used alone and as a second factor, and refused in every way that they can be wrong. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { type Authenticator, createAuthenticator, type Wrongs } from "../support/authenticator.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, type Browser, openBrowser, PASSWORD, type Person, signIn } from "../support/people.ts";
import { freePort } from "../support/ports.ts";

/** Passkeys need a host name. */
let origin: string;
let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  const port = String(await freePort());
  origin = `http://localhost:${port}`;
  const settings = { BASE_URL: origin, PORT: port, RATE_LIMIT_PER_MINUTE: "1000000" };
  app = await createApp({ clock, settings });
});
after(() => app.stop());

let count = 0;
const unique = () => `passkey${++count}@example.com`;
const outcome = (reply: Reply) => [reply.status, reply.body.code];

async function ask(browser: Browser, path: string, body?: object) {
  const reply = await browser.send("POST", path, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.public_key;
}

async function addTo(person: Person, device = createAuthenticator(origin)): Promise<Authenticator> {
  const options = await ask(person.browser, "/v1/factors/passkey_options");
  const body = { name: "Laptop", passkey: device.create(options) };
  const reply = await person.browser.send("POST", "/v1/factors/passkeys", body);
  assert.equal(reply.status, 201, reply.text);
  return device;
}

async function withPasskey(): Promise<{ person: Person; device: Authenticator }> {
  const person = await addPerson(app, unique());
  return { person, device: await addTo(person) };
}

/** Signs in by a passkey alone. */
async function useAlone(device: Authenticator, wrongs?: Wrongs): Promise<{ browser: Browser; reply: Reply }> {
  const browser = openBrowser(app);
  const options = await ask(browser, "/v1/session/passkey_options", {});
  const passkey = device.get(options, wrongs);
  return { browser, reply: await browser.send("POST", "/v1/session/passkey", { passkey }) };
}

describe("a passkey", () => {
  it("is added with a name, and brings recovery codes as any first factor does", async () => {
    const person = await addPerson(app, unique());
    const options = await ask(person.browser, "/v1/factors/passkey_options");
    assert.deepEqual([options.rp.id, options.user.name], ["localhost", person.email]);
    assert.equal(options.authenticatorSelection.userVerification, "required");
    const body = { name: "Laptop", passkey: createAuthenticator(origin).create(options) };
    const elsewhere = await signIn(app, person.email);
    assert.equal(elsewhere.reply.status, 201);
    const first = await person.browser.send("POST", "/v1/factors/passkeys", body);
    const { status } = await elsewhere.browser.send("GET", "/v1/session");
    assert.equal(status, 401, "a session by the password alone ends with the first factor");
    assert.deepEqual([first.status, first.body.type, first.body.recovery_codes.length], [201, "passkey", 10]);
    await addTo(person);
    const { body: page } = await person.browser.send("GET", "/v1/factors");
    assert.equal(page.data.length, 2);
    const again = await ask(person.browser, "/v1/factors/passkey_options");
    assert.equal(again.excludeCredentials.length, 2, "a device isn't asked for a second one");
  });

  it("signs in alone, with the device's word that it was the person", async () => {
    const { person, device } = await withPasskey();
    const { browser, reply } = await useAlone(device);
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.body.user.email, person.email);
    assert.equal((await browser.send("GET", "/v1/session")).status, 200);
    const { reply: unverified } = await useAlone(device, { isUnverified: true });
    assert.deepEqual(outcome(unverified), [401, "wrong_second_factor"]);
  });

  it("is a second factor beside the password", async () => {
    const { person, device } = await withPasskey();
    const { browser, reply } = await signIn(app, person.email);
    assert.deepEqual([reply.status, reply.body.factors], [202, ["passkey"]]);
    const { token } = reply.body;
    const options = await ask(browser, "/v1/session/passkey_options", { token });
    assert.deepEqual(
      options.allowCredentials.map((one: { id: string }) => one.id),
      [device.id],
    );
    const passkey = device.get(options);
    const done = await browser.send("POST", "/v1/session/second_factor", { token, passkey });
    assert.equal(done.status, 201, done.text);
  });

  it("confirms that it is its person", async () => {
    const { person, device } = await withPasskey();
    clock.advance(16 * 60_000);
    const path = "/v1/session/confirm";
    const passkey = device.get(await ask(person.browser, `${path}/passkey_options`));
    assert.equal((await person.browser.send("POST", path, { passkey })).status, 200);
    assert.equal((await person.browser.send("POST", "/v1/recovery_codes")).status, 201);
  });

  it("is refused where anything about it is another's", async () => {
    const { device } = await withPasskey();
    const wrongs: Record<string, Wrongs> = {
      "another site": { origin: "https://evil.example" },
      "another port": { origin: "http://localhost:1" },
      "another host's key": { rpId: "evil.example" },
      "a challenge that nobody asked": { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      "a count that goes back": { counter: 1 },
    };
    for (const [what, wrong] of Object.entries(wrongs)) {
      const { reply } = await useAlone(device, wrong);
      assert.deepEqual(outcome(reply), [401, "wrong_second_factor"], what);
    }
    const { reply } = await useAlone(createAuthenticator(origin));
    assert.deepEqual(outcome(reply), [401, "wrong_second_factor"], "nobody's");
    clock.advance(3_600_000);
    assert.equal((await useAlone(device)).reply.status, 201, "and it is good all the same");
  });

  it("answers a challenge once, for what it was asked for, within five minutes", async () => {
    const { person, device } = await withPasskey();
    const browser = openBrowser(app);
    const options = await ask(browser, "/v1/session/passkey_options", {});
    const passkey = device.get(options);
    const replies = await Promise.all(
      [1, 2].map(() => browser.send("POST", "/v1/session/passkey", { passkey })),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 401]);

    const failed = await ask(openBrowser(app), "/v1/session/passkey_options", {});
    const wrong = device.get(failed, { isUnverified: true });
    await openBrowser(app).send("POST", "/v1/session/passkey", { passkey: wrong });
    const right = await openBrowser(app).send("POST", "/v1/session/passkey", { passkey: device.get(failed) });
    assert.equal(right.status, 401, "a challenge is gone once it was answered wrongly");

    const late = await ask(openBrowser(app), "/v1/session/passkey_options", {});
    clock.advance(5 * 60_000);
    const tooLate = await openBrowser(app).send("POST", "/v1/session/passkey", { passkey: device.get(late) });
    assert.equal(tooLate.status, 401);

    const forConfirm = await ask(person.browser, "/v1/session/confirm/passkey_options");
    const elsewhere = await openBrowser(app).send("POST", "/v1/session/passkey", {
      passkey: device.get(forConfirm),
    });
    assert.equal(elsewhere.status, 401, "what was asked of a session signs nobody in");
  });

  it("is throttled as other factors are where it is wrong too often, alone and beside a password", async () => {
    const { person, device } = await withPasskey();
    const alone = async (wrongs?: Wrongs) => outcome((await useAlone(device, wrongs)).reply);
    for (let wrong = 0; wrong < 5; wrong++)
      assert.deepEqual(await alone({ isUnverified: true }), [401, "wrong_second_factor"]);
    await alone({ isUnverified: true });
    assert.deepEqual(await alone(), [429, "too_many_attempts"], "the right one waits too");
    clock.advance(2 * 3_600_000);
    assert.equal((await useAlone(device)).reply.status, 201);

    const asSecond = async (wrongs?: Wrongs) => {
      const { browser, reply } = await signIn(app, person.email);
      const { token } = reply.body;
      const options = await ask(browser, "/v1/session/passkey_options", { token });
      return outcome(
        await browser.send("POST", "/v1/session/second_factor", {
          token,
          passkey: device.get(options, wrongs),
        }),
      );
    };
    for (let wrong = 0; wrong < 5; wrong++)
      assert.deepEqual(await asSecond({ isUnverified: true }), [401, "wrong_second_factor"]);
    await asSecond({ isUnverified: true });
    assert.deepEqual(await asSecond(), [429, "too_many_attempts"]);
    clock.advance(2 * 3_600_000);
  });

  it("of one person is no factor of another, nor is a challenge of one token good for another", async () => {
    const [one, two] = [await withPasskey(), await withPasskey()];
    const first = (await signIn(app, one.person.email)).reply.body.token;
    const options = await ask(openBrowser(app), "/v1/session/passkey_options", { token: first });
    const foreign = two.device.get(options);
    const refused = await openBrowser(app).send("POST", "/v1/session/second_factor", {
      token: first,
      passkey: foreign,
    });
    assert.deepEqual(outcome(refused), [401, "wrong_second_factor"]);
    const second = (await signIn(app, one.person.email)).reply.body.token;
    const asked = await ask(openBrowser(app), "/v1/session/passkey_options", { token: first });
    const crossed = await openBrowser(app).send("POST", "/v1/session/second_factor", {
      token: second,
      passkey: one.device.get(asked),
    });
    assert.deepEqual(outcome(crossed), [401, "wrong_second_factor"]);
    const unknown = await openBrowser(app).send("POST", "/v1/session/passkey_options", { token: "prf_x" });
    assert.deepEqual(outcome(unknown), [401, "sign_in_expired"]);
  });

  it("can't be added to two people, without its challenge, or from another session", async () => {
    const { person, device } = await withPasskey();
    const other = await addPerson(app, unique());
    const add = (browser: Browser, passkey: object) =>
      browser.send("POST", "/v1/factors/passkeys", { passkey });
    const options = await ask(other.browser, "/v1/factors/passkey_options");
    assert.deepEqual(outcome(await add(other.browser, device.create(options))), [409, "factor_known"]);
    const asked = await ask(other.browser, "/v1/factors/passkey_options");
    const fresh = createAuthenticator(origin);
    const stolen = await add(person.browser, fresh.create(asked));
    assert.deepEqual([stolen.status, stolen.body.errors[0].code], [422, "wrong_passkey"]);
    const unverified = await ask(other.browser, "/v1/factors/passkey_options");
    const reply = await add(other.browser, fresh.create(unverified, { isUnverified: true }));
    assert.equal(reply.status, 422);
    assert.equal((await add(other.browser, { id: "x", type: "public-key", response: {} })).status, 422);
  });

  it("of ten megabytes is refused by its size", async () => {
    const { person } = await withPasskey();
    const response = { clientDataJSON: "A".repeat(10 * 1_024 * 1_024) };
    const passkey = { id: "AAAA", type: "public-key", response };
    for (const path of ["/v1/factors/passkeys", "/v1/session/passkey", "/v1/session/confirm"]) {
      const reply = await person.browser.send("POST", path, { passkey });
      assert.equal(reply.status, 413, path);
    }
    const token = (await signIn(app, person.email)).reply.body.token;
    const reply = await openBrowser(app).send("POST", "/v1/session/second_factor", { token, passkey });
    assert.equal(reply.status, 413);
  });

  it("ends with its removal, and asks leave nothing behind for long", async () => {
    const { person, device } = await withPasskey();
    const { body } = await person.browser.send("GET", "/v1/factors");
    assert.equal((await person.browser.send("DELETE", `/v1/factors/${body.data[0].id}`)).status, 204);
    assert.equal((await useAlone(device)).reply.status, 401);
    assert.equal((await signIn(app, person.email, PASSWORD)).reply.status, 201);
    clock.advance(6 * 60_000);
    for (let i = 0; i < 3; i++) await ask(openBrowser(app), "/v1/session/passkey_options", {});
    const left = await app.db.one<{ count: number }>(sql`select count(*) as count from passkey_challenges`);
    assert.ok(left.count <= 3, `${left.count} challenges`);
  });

  it("is refused from another site's page", async () => {
    for (const origin of ["https://evil.example", "null"]) {
      for (const path of ["/v1/session/passkey_options", "/v1/session/passkey"]) {
        const passkey = { id: "AAAA", type: "public-key", response: {} };
        const body = path.endsWith("options") ? {} : { passkey };
        const reply = await openBrowser(app).send("POST", path, body, { origin });
        assert.deepEqual(outcome(reply), [403, "origin_mismatch"]);
      }
    }
  });
});

it("passkeys need a host name, and say so where there is none", async () => {
  const numbered = await createApp();
  try {
    const person = await addPerson(numbered, unique());
    for (const path of ["/v1/factors/passkey_options", "/v1/session/confirm/passkey_options"]) {
      const reply = await person.browser.send("POST", path);
      assert.deepEqual(outcome(reply), [409, "passkeys_unavailable"]);
      assert.match(reply.body.detail, /host name.*BASE_URL/);
    }
  } finally {
    await numbered.stop();
  }
});
