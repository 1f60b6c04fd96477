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
  setUpOwner,
  signIn,
  tokenOfLink,
} from "../support/people.ts";
import { freePort } from "../support/ports.ts";
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

async function linkOf(how: "operator" | "mailed"): Promise<string> {
  const log = createLog({ level: "silent", pretty: false });
  return app.db.transaction(async (tx) => {
    const accountId = requireId("acc", app.accountId, "account");
    const user = await lockUser(tx, accountId, requireId("usr", person.id, "user"));
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
    const browser = openBrowser(app, person.browser.token);
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
    assert.deepEqual(outcome((await signIn(app, person.email, "yet another password")).reply), OFF, "once");
  });

  it("single sign-on lets in, and people who are signed in go on", async () => {
    const claims = { sub: "ada", email: person.email, email_verified: true };
    const { reply } = await signInWithLiar(app, liar, claims);
    assert.equal(reply.status, 201, reply.text);
  });
});

it("passwords can't be switched off without single sign-on", async () => {
  await assert.rejects(
    createApp({ settings: { PASSWORD_SIGN_IN: "off" } }),
    /PASSWORD_SIGN_IN=off needs OIDC_ISSUER/,
  );
});
