import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson, openBrowser, PASSWORD, signIn, tokenOfLink } from "../support/people.ts";
import { assertOneLine, makeInstallation } from "../support/process.ts";
import { addApp } from "../support/second-factors.ts";
import { until } from "../support/until.ts";

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
  await addPerson(app, "forgetful@example.com", "marketer", account.key);
  const made = await postrider("users", "reset", "--email", "Forgetful@example.com");
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, LINK);
  const body = { token: tokenOfLink(made.stdout.trim()), password: "a new password for it" };
  assert.equal((await openBrowser(app).send("POST", "/v1/password_links/redeem", body)).status, 201);
  assert.equal((await signIn(app, "forgetful@example.com", "a new password for it")).reply.status, 201);
});

test("`users reset-factors` lets somebody in by the password again, and they are told by mail", async () => {
  const person = await addPerson(app, "lost@example.com");
  await addApp(person.browser, new Date());
  assert.equal((await signIn(app, person.email)).reply.status, 202);
  const subjects = async () => {
    const { body } = await app.api("GET", `/v1/sandbox/messages?to=${person.email}`);
    return body.data.map((mail: { subject: string }) => mail.subject);
  };
  await until(async () => (await subjects()).includes("An authenticator app was added"));
  const done = await postrider("users", "reset-factors", "--email", "Lost@example.com");
  assert.deepEqual([done.code, done.stderr, done.stdout], [0, "", "1 factor was removed\n"]);
  assert.equal((await signIn(app, person.email)).reply.status, 201);
  await until(async () => (await subjects()).includes("An authenticator app was removed"));
});

test("`operators link` links an operator by what the provider calls them, and nobody else", async () => {
  const person = await addPerson(app, "keeper@example.com");
  const other = await addPerson(app, "other.keeper@example.com");
  const link = (email: string, subject: string) =>
    postrider(
      "operators",
      "link",
      "--email",
      email,
      "--subject",
      subject,
      "--issuer",
      "https://login.example",
    );
  assertOneLine(await link(person.email, "sub-1"), "that person is no operator");
  for (const { email } of [person, other]) await postrider("operators", "add", "--email", email);
  const done = await link(person.email, "sub-1");
  assert.deepEqual([done.code, done.stdout], [0, "keeper@example.com is now linked\n"], done.stderr);
  assertOneLine(await link(person.email, "sub-2"), "that person or that subject is linked");
  assertOneLine(await link(other.email, "sub-1"), "that person or that subject is linked");
  const identities = () => app.db.many(sql`select issuer, subject from person_identities`);
  assert.deepEqual(await identities(), [{ issuer: "https://login.example", subject: "sub-1" }]);
  const undone = await postrider("operators", "unlink", "--email", person.email);
  assert.equal(undone.stdout, "keeper@example.com is linked no more\n");
  assert.deepEqual(await identities(), []);
  const actions = await app.db.many<{ action: string }>(sql`
    select action from audit_log where action like 'operator.sso%' order by action`);
  assert.deepEqual(
    actions.map(({ action }) => action),
    ["operator.sso_linked", "operator.sso_unlinked"],
  );
  for (const { email } of [person, other]) await postrider("operators", "remove", "--email", email);
});

test("`operators remove` leaves nobody who can sign in and belongs to no account", async () => {
  const [lone, member] = [
    await addPerson(app, "lone@example.com"),
    await addPerson(app, "member@example.com"),
  ];
  for (const { email } of [lone, member]) await postrider("operators", "add", "--email", email);
  assert.equal((await app.api("DELETE", `/v1/users/${lone.id}`)).status, 204);
  const rows = () => app.db.many(sql`select email from people where email = ${lone.email}`);
  assert.equal((await rows()).length, 1, "an operator is kept");
  for (const { email } of [lone, member]) {
    const { stdout } = await postrider("operators", "remove", "--email", email);
    assert.equal(stdout, `${email} is no operator any more\n`);
  }
  assert.equal((await signIn(app, lone.email)).reply.status, 401);
  assert.equal((await signIn(app, member.email)).reply.status, 201, "a member goes on");
  assert.deepEqual(await rows(), []);
});

test("each says in a line what is wrong", async () => {
  for (const [args, line] of [
    [["users", "create"], "users create needs --email"],
    [["users", "create", "--email", "nobody"], "--email must be an e-mail address"],
    [["users", "create", "--email", "x@example.com", "--role", "member"], "there is no role member"],
    [["users", "create", "--email", "boss@example.com"], "a user with this e-mail address exists already"],
    [["users", "reset", "--email", "nobody@example.com"], "there is no user with that e-mail address"],
    [["users", "reset-factors"], "users reset-factors needs --email"],
    [["users", "reset-factors", "--email", "nobody@example.com"], "there is nobody with that e-mail address"],
  ] as const) {
    const ended = await postrider(...args);
    assert.equal(ended.code, 1, args.join(" "));
    assert.equal(ended.stdout, "");
    assertOneLine(ended, line);
  }
});

test("`operators` and `instance-keys` let a person and a program look after the instance, and end that", async () => {
  const person = await addPerson(app, "runs@example.com");
  const reach = async () => (await person.browser.send("GET", "/v1/instance/summary")).status;
  assert.equal(await reach(), 404);
  const added = await postrider("operators", "add", "--email", "Runs@example.com");
  assert.deepEqual([added.code, added.stdout], [0, "runs@example.com is now an operator\n"], added.stderr);
  assert.equal(await reach(), 200);
  assert.match((await postrider("operators", "list")).stdout, /^runs@example\.com since /);
  const removed = await postrider("operators", "remove", "--email", "runs@example.com");
  assert.equal(removed.stdout, "runs@example.com is no operator any more\n");
  assert.equal(await reach(), 404);
  assertOneLine(await postrider("operators", "add", "--email", "nobody@example.com"), "there is nobody with");
  const made = await postrider("instance-keys", "create", "--name", "Billing");
  assert.match(made.stdout, /^prn_[0-9A-Za-z]{54}\n$/);
  const key = made.stdout.trim();
  assert.equal((await app.api("GET", "/v1/instance/summary", { key })).status, 200);
  const [id = ""] = /ink_\w+/.exec((await postrider("instance-keys", "list")).stdout) ?? [];
  assert.equal((await postrider("instance-keys", "revoke", id)).stdout, "revoked\n");
  assert.equal((await app.api("GET", "/v1/instance/summary", { key })).status, 401);
});
