import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson, openBrowser, PASSWORD, signIn, tokenOfLink } from "../support/people.ts";
import { assertOneLine, makeInstallation } from "../support/process.ts";

const installation = makeInstallation();
let app: TestApp;
before(async () => {
  app = await createApp();
});
after(async () => {
  await app.stop();
  await installation.clear();
});

const postrider = (...args: string[]) =>
  installation.postrider(args, {
    DATABASE_URL: app.databaseUrl,
    SECRET_KEY: "a secret key for tests of 32 characters or more",
    BASE_URL: "https://mail.example.com",
  });
const LINK = /^https:\/\/mail\.example\.com\/setup#prl_[0-9A-Za-z]{54}\n$/;

test("`users create` prints a set-up link alone, and it makes the user", async () => {
  const made = await postrider("users", "create", "--email", "boss@example.com", "--role", "owner");
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, LINK);
  const browser = openBrowser(app);
  const body = { token: tokenOfLink(made.stdout.trim()), password: PASSWORD };
  const reply = await browser.send("POST", "/v1/password_links/redeem", body);
  assert.equal(reply.status, 201);
  assert.equal(reply.body.user.role, "owner");
  assert.equal(reply.body.account_id, app.accountId);
});

test("`users reset` prints a link for a user of any account, which replaces the password", async () => {
  const account = await app.addAccount();
  await addPerson(app, "forgetful@example.com", "member", account.key);
  const made = await postrider("users", "reset", "--email", "Forgetful@example.com");
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, LINK);
  const body = { token: tokenOfLink(made.stdout.trim()), password: "a new password for it" };
  assert.equal((await openBrowser(app).send("POST", "/v1/password_links/redeem", body)).status, 201);
  assert.equal((await signIn(app, "forgetful@example.com", "a new password for it")).reply.status, 201);
});

test("both say in a line what is wrong", async () => {
  for (const [args, line] of [
    [["users", "create"], "users create needs --email"],
    [["users", "create", "--email", "nobody"], "--email must be an e-mail address"],
    [["users", "create", "--email", "x@example.com", "--role", "admin"], "there is no role admin"],
    [["users", "create", "--email", "boss@example.com"], "a user with this e-mail address exists already"],
    [["users", "reset", "--email", "nobody@example.com"], "there is no user with that e-mail address"],
  ] as const) {
    const ended = await postrider(...args);
    assert.equal(ended.code, 1, args.join(" "));
    assert.equal(ended.stdout, "");
    assertOneLine(ended, line);
  }
});
