/** A service that lets people in by single sign-on alone, and the operator's way back in. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { lockUser, makeMailedLink, makeOperatorLink } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { requireId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import {
  addPerson,
  openBrowser,
  PASSWORD,
  type Person,
  setToken,
  setUpOwner,
  signIn,
  tokenOfLink,
} from "../support/people.ts";
import { freePort } from "../support/ports.ts";
import { addApp } from "../support/second-factors.ts";
import { type Liar, signInWithLiar, ssoSettings, startLiar } from "../support/single-sign-on.ts";

let before_: TestApp;
let app: TestApp;
let liar: Liar;
let person: Person;
before(async () => {
  // The people come from before, when the service took passwords.
  before_ = await createApp();
  await setUpOwner(before_);
  person = await addPerson(before_, "ada@example.com", "admin");
  liar = await startLiar();
  const settings = await ssoSettings(liar.issuer, await freePort(), { PASSWORD_SIGN_IN: "off" });
  app = await createApp({ databaseUrl: before_.databaseUrl, settings });
});
after(async () => {
  await app.stop();
  await before_.stop();
  await liar.stop();
});

const outcome = (reply: Reply) => [reply.status, reply.body.code];
const OFF = [403, "password_sign_in_off"];

const come = () => signInWithLiar(app, liar, { sub: "ada", email: person.email, email_verified: true });

async function linkOf(how: "operator" | "mailed", of = person): Promise<string> {
  const log = createLog({ level: "silent", pretty: false });
  return app.db.transaction(async (tx) => {
    const accountId = requireId("acc", app.accountId, "account");
    const user = await lockUser(tx, accountId, requireId("usr", of.id, "user"));
    assert.ok(user);
    const ctx = systemCtx({ clock: systemClock, log }, tx, accountId);
    const seenBy = { of_instance: true, transport_id: null };
    const made = await (how === "operator" ? makeOperatorLink(ctx, user) : makeMailedLink(ctx, user, seenBy));
    return made.token;
  });
}

describe("without passwords", () => {
  it("the sign-in page is told so", async () => {
    const { body } = await app.api("GET", "/v1/sign_in_methods", { key: null });
    assert.equal(body.password, false);
  });

  it("every way by a password or a passkey is refused, alike for everybody", async () => {
    for (const email of [person.email, "nobody@example.com"]) {
      assert.deepEqual(outcome((await signIn(app, email)).reply), OFF);
      const reset = await openBrowser(app).send("POST", "/v1/password_resets", { email });
      assert.deepEqual(outcome(reset), OFF);
    }
    const { browser } = await come();
    const change = { current_password: PASSWORD, new_password: "another long password" };
    assert.deepEqual(outcome(await browser.send("POST", "/v1/session/password", change)), OFF);
    assert.deepEqual(outcome(await browser.send("POST", "/v1/session/confirm", { password: PASSWORD })), OFF);
    assert.deepEqual(outcome(await app.api("POST", `/v1/users/${person.id}/password_link`)), OFF);
    const passkey = { id: "a", rawId: "a", response: {}, type: "public-key", clientExtensionResults: {} };
    const byPasskey = await openBrowser(app).send("POST", "/v1/session/passkey", { passkey });
    assert.ok([403, 422].includes(byPasskey.status), byPasskey.text);
    const invited = await app.api("POST", "/v1/invitations", { body: { email: "new@example.com" } });
    const token = tokenOfLink(invited.body.link);
    const redeem = await openBrowser(app).send("POST", "/v1/password_links/redeem", {
      token,
      password: PASSWORD,
    });
    assert.deepEqual(outcome(redeem), OFF);
  });

  it("a link that was mailed before sets nothing, and one of the command line lets in", async () => {
    const mailed = { token: await linkOf("mailed"), password: "yet another password" };
    assert.deepEqual(outcome(await openBrowser(app).send("POST", "/v1/password_links/redeem", mailed)), OFF);
    const printed = { token: await linkOf("operator"), password: "yet another password" };
    const reply = await openBrowser(app).send("POST", "/v1/password_links/redeem", printed);
    assert.equal(reply.status, 201, reply.text);
    const goesOn = openBrowser(app, setToken(reply));
    assert.equal((await goesOn.send("GET", "/v1/session")).status, 200);
    assert.deepEqual(outcome((await signIn(app, person.email, "yet another password")).reply), OFF, "once");
  });

  it("single sign-on lets in", async () => {
    const { reply, browser } = await come();
    assert.equal(reply.status, 201, reply.text);
    assert.equal((await browser.send("GET", "/v1/session")).status, 200);
  });

  it("a session that a password opened before is none, and one of the command line goes on", async () => {
    const old = await addPerson(before_, "old@example.com");
    assert.equal((await old.browser.send("GET", "/v1/session")).status, 200, "while passwords are taken");
    assert.equal((await openBrowser(app, old.browser.token).send("GET", "/v1/session")).status, 401);
    const { code } = await addApp(old.browser, new Date());
    const browser = openBrowser(app);
    const token = await linkOf("operator", old);
    const due = await browser.send("POST", "/v1/password_links/redeem", { token, password: PASSWORD });
    assert.equal(due.status, 202, due.text);
    const factor = { token: due.body.token, code: code(new Date()) };
    const reply = await browser.send("POST", "/v1/session/second_factor", factor);
    assert.equal(reply.status, 201, reply.text);
    assert.equal((await browser.send("GET", "/v1/session")).status, 200);
  });
});

it("passwords can't be switched off without single sign-on", async () => {
  await assert.rejects(
    createApp({ settings: { PASSWORD_SIGN_IN: "off" } }),
    /PASSWORD_SIGN_IN=off needs OIDC_ISSUER/,
  );
});
