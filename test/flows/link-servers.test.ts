/** By which server links that set a password leave: people of an account may read what its own server takes. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createApp, type TestApp } from "../support/app.ts";
import {
  addPerson,
  type Browser,
  joinAs,
  openBrowser,
  PASSWORD,
  signIn,
  tokenOfLink,
} from "../support/people.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { until } from "../support/until.ts";

const OPEN = { disabledCommands: ["STARTTLS", "AUTH"] };
const NEXT = "sturdy mule charger clip";
const RESET = "Choose a new password";
/** A process asks once a second by which transport an account sends. */
const WAVE_KNOWN_MS = 1_000;

type Instance = { app: TestApp; own: Relay; instance: Relay; stop(): Promise<void> };

/** Starts an instance with a server of its own or without, and beside it a server that an account may choose. */
async function startInstance(hasServer: boolean): Promise<Instance> {
  const [own, instance] = [await startRelay(OPEN), await startRelay(OPEN)];
  const app = await createApp({
    settings: {
      INTERNAL_HOSTS: "127.0.0.1",
      SYSTEM_FROM: "Mailer <mailer@host.example>",
      ...(hasServer && { SMTP_URL: `smtp://127.0.0.1:${instance.port}` }),
    },
  });
  const stop = async () => {
    await app.stop();
    await Promise.all([own.close(), instance.close()]);
  };
  return { app, own, instance, stop };
}

const transportTo = (relay: Relay) => ({
  name: `Server ${relay.port}`,
  host: "127.0.0.1",
  port: relay.port,
  tls: "never",
  streams: ["transactional"],
});

async function addTransport(browser: Browser, relay: Relay): Promise<string> {
  const made = await browser.send("POST", "/v1/transports", transportTo(relay));
  assert.equal(made.status, 201, made.text);
  await setTimeout(WAVE_KNOWN_MS + 100);
  return made.body.id;
}

const asked = (app: TestApp, email: string) =>
  app.api("POST", "/v1/password_resets", { key: null, body: { email } });
const redeem = (app: TestApp, token: string, password = NEXT) =>
  openBrowser(app).send("POST", "/v1/password_links/redeem", { token, password });

function linksTo(relay: Relay, email: string, subject = RESET): string[] {
  const bodies = relay.received
    .filter(({ to, body }) => to.includes(email) && body.includes(subject))
    .map(({ body }) => body);
  const read = (body: string) => /\/setup#(prl_\w+)/.exec(body.replaceAll("=\r\n", ""))?.[1];
  return bodies.map(read).filter((token) => token !== undefined);
}

async function untilLink(relay: Relay, email: string): Promise<string> {
  await until(() => linksTo(relay, email).length > 0);
  return linksTo(relay, email).at(-1) as string;
}

const refusals = (app: TestApp) =>
  app.logs.filter((line) => /a link that sets a password was not/.test(line));
const untilRefused = (app: TestApp, before: number) => until(() => refusals(app).length > before);

describe("without a server of the instance's", () => {
  let here: Instance;
  before(async () => {
    here = await startInstance(false);
  });
  after(() => here.stop());

  test("an admin's server takes links of admins, and none of an owner", async () => {
    const { app, own } = here;
    const admin = await addPerson(app, "admin@example.com", "admin");
    const owner = await addPerson(app, "boss@example.com", "owner");
    await addTransport(admin.browser, own);
    const before = refusals(app).length;
    await asked(app, owner.email);
    await untilRefused(app, before);
    assert.match(refusals(app).at(-1) ?? "", /users reset/);
    await asked(app, admin.email);
    assert.equal((await redeem(app, await untilLink(own, admin.email))).status, 201);
    assert.deepEqual(linksTo(own, owner.email), []);
    assert.equal((await signIn(app, owner.email)).reply.status, 201, "the password is as it was");
  });

  test("an invitation of an owner isn't mailed by it either, and the answer says so", async () => {
    const { app, own } = here;
    const made = await app.api("POST", "/v1/invitations", {
      body: { email: "second@example.com", role: "owner" },
    });
    assert.deepEqual([made.status, made.body.mailed], [201, false], made.text);
    assert.equal((await redeem(app, tokenOfLink(made.body.link))).status, 201, "the link shown is good");
    assert.deepEqual(linksTo(own, "second@example.com", "You are invited to"), []);
  });

  test("an owner's server takes an owner's link, which ends when somebody else changes the server", async () => {
    const { app } = here;
    const { key } = await app.addAccount();
    const relay = await startRelay(OPEN);
    try {
      const owner = await addPerson(app, "careful@example.com", "owner", key);
      const admin = await addPerson(app, "curious@example.com", "admin", key);
      const id = await addTransport(owner.browser, relay);
      await asked(app, owner.email);
      const first = await untilLink(relay, owner.email);
      const change = (browser: Browser, name: string) =>
        browser.send("PATCH", `/v1/transports/${id}`, { name });
      assert.equal((await change(admin.browser, "Mine")).status, 200);
      assert.equal((await redeem(app, first)).body.code, "link_unknown", "it might have left by the admin's");
      assert.equal((await change(owner.browser, "Ours")).status, 200);
      assert.equal((await redeem(app, first)).status, 201, "and is good where an owner has looked at it");
    } finally {
      await relay.close();
    }
  });

  test("whoever is invited by two accounts chooses the password by the first invitation", async () => {
    const { app } = here;
    const [one, two] = [await app.addAccount(), await app.addAccount()];
    const invite = async (key: string) => {
      const made = await app.api("POST", "/v1/invitations", { key, body: { email: "alice@example.com" } });
      return tokenOfLink(made.body.link);
    };
    const first = await invite(one.key);
    const second = await invite(two.key);
    const taken = await redeem(app, second, "a password of the second inviter's");
    assert.deepEqual([taken.status, taken.body.code], [404, "link_unknown"]);
    assert.equal((await redeem(app, first, PASSWORD)).status, 201);
    assert.equal(
      (await redeem(app, second, PASSWORD)).status,
      201,
      "and accepts the second by that password",
    );
  });
});

describe("with a server of the instance's beside an account's own", () => {
  let here: Instance;
  before(async () => {
    here = await startInstance(true);
  });
  after(() => here.stop());

  test("links of owners whose server an admin has chosen leave by the instance's", async () => {
    const { app, own, instance } = here;
    const admin = await addPerson(app, "admin@example.com", "admin");
    const owner = await addPerson(app, "boss@example.com", "owner");
    await addTransport(admin.browser, own);
    await asked(app, owner.email);
    assert.equal((await redeem(app, await untilLink(instance, owner.email))).status, 201);
    await asked(app, admin.email);
    await untilLink(own, admin.email);
    assert.deepEqual(linksTo(own, owner.email), []);
  });

  test("so do those of people of several accounts, whoever has chosen the server", async () => {
    const { app, instance } = here;
    const [one, two] = [await app.addAccount(), await app.addAccount()];
    const relay = await startRelay(OPEN);
    try {
      const person = await addPerson(app, "both@example.com", "marketer", one.key);
      await joinAs(app, person, two.key);
      for (const { key } of [one, two]) {
        assert.equal(
          (await app.api("POST", "/v1/transports", { key, body: transportTo(relay) })).status,
          201,
        );
      }
      await setTimeout(WAVE_KNOWN_MS + 100);
      await asked(app, person.email);
      const token = await untilLink(instance, person.email);
      assert.deepEqual(linksTo(relay, person.email), [], "the accounts' own servers see none");
      assert.equal((await redeem(app, token)).status, 201);
      assert.equal((await signIn(app, person.email, NEXT)).reply.status, 201);
    } finally {
      await relay.close();
    }
  });

  test("a program can't choose the instance's server over the account's", async () => {
    const { app } = here;
    const mail = { from: "a@example.com", to: ["b@example.com"], subject: "S", text: "T" };
    const sent = await app.api("POST", "/v1/emails", {
      body: { ...mail, transport_id: `trn_${"0".repeat(26)}` },
    });
    assert.equal(sent.status, 422, sent.text);
  });
});
