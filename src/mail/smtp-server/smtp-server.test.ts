import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecureContext } from "node:tls";
import { testCertificate, testKey } from "../../../test/support/smtp/certificate.ts";
import { beginData, connectRaw, logIn, type RawClient } from "../../../test/support/smtp/raw-client.ts";
import type { Limits, TakenMail } from "./options.ts";
import { reply } from "./reply.ts";
import { createSmtpServer, type SmtpServerOptions } from "./smtp-server.ts";

type Tried = {
  readonly port: number;
  readonly mails: readonly TakenMail[];
  readonly errors: readonly unknown[];
};

/** Runs a server whose only key is `good` for as long as the test takes. */
async function withServer(
  limits: Partial<Limits>,
  work: (tried: Tried) => Promise<void>,
  moreOf: (mails: TakenMail[]) => Partial<SmtpServerOptions<string>> = () => ({}),
): Promise<void> {
  const mails: TakenMail[] = [];
  const errors: unknown[] = [];
  const context = createSecureContext({ cert: testCertificate, key: testKey });
  const server = createSmtpServer<string>({
    hostname: "mail.example.test",
    limits: { lingerMs: 200, ...limits },
    secureContext: () => context,
    needsTls: () => false,
    networkOf: (address) => address ?? "",
    onError: (error) => errors.push(error),
    handlers: {
      logIn: async ({ user, password }) =>
        password === "good" ? { login: user } : { refusal: reply(535, "5.7.8", "no") },
      beginMail: async () => undefined,
      async takeMail(_login, mail) {
        if (mail.bytes.includes("bug")) throw new Error("a bug");
        mails.push(mail);
        return reply(250, "2.0.0", "kept");
      },
    },
    ...moreOf(mails),
  });
  const port = await server.listen({ host: "127.0.0.1", port: 0, isImplicitTls: false });
  try {
    await work({ port, mails, errors });
  } finally {
    await server.stop(0);
  }
}

async function greet(port: number): Promise<RawClient> {
  const client = await connectRaw(port);
  assert.match(await client.reply(), /^220 mail\.example\.test/);
  return client;
}

test("a client that needs TLS can neither log in nor send before it, and nothing said ahead counts under it", () =>
  withServer(
    {},
    async ({ port }) => {
      const client = await greet(port);
      assert.doesNotMatch(await client.ask("EHLO x"), /AUTH/);
      assert.match(await client.ask("AUTH PLAIN AGEAZ29vZA=="), /^530 5\.7\.0/);
      assert.match(await client.ask("MAIL FROM:<a@b.example>"), /^530 5\.7\.0/);
      assert.match(await client.ask("STARTTLS"), /^220/);
      await client.secure();
      assert.match(await client.ask("MAIL FROM:<a@b.example>"), /^530 5\.7\.0 Log in/);
      const offered = await client.ask("EHLO x");
      assert.match(offered, /^250 AUTH PLAIN LOGIN$/m);
      assert.doesNotMatch(offered, /STARTTLS/);
      assert.match(await client.ask("AUTH PLAIN AGEAZ29vZA=="), /^235/);
      client.end();
      const hasty = await greet(port);
      hasty.send("STARTTLS\r\nNOOP\r\n");
      assert.match(await hasty.reply(), /^503/);
      await hasty.closed;
    },
    () => ({ needsTls: () => true }),
  ));

test("commands may come all at once, and are answered in order", () =>
  withServer({}, async ({ port, mails }) => {
    const client = await logIn(port, "good");
    client.send(
      "MAIL FROM:<a@b.example> BODY=8BITMIME SIZE=9 AUTH=<>\r\nRCPT TO:<c@d.example>\r\nRCPT TO:<bad>\r\nDATA\r\n",
    );
    for (const code of [250, 250, 553, 354]) assert.match(await client.reply(), new RegExp(`^${code}`));
    client.send("x\r\n.\r\nMAIL FROM:<grå@b.example> SMTPUTF8\r\nRCPT TO:<ø@d.example>\r\nQUIT\r\n");
    for (const code of [250, 250, 250, 221]) assert.match(await client.reply(), new RegExp(`^${code}`));
    await client.closed;
    assert.deepEqual(
      mails.map(({ bytes, recipients }) => [bytes.toString(), recipients]),
      [["x\r\n", ["c@d.example"]]],
    );
  }));

test("commands that are wrong or out of order are refused, and too many of them end the connection", () =>
  withServer({ mistakes: 40 }, async ({ port }) => {
    const client = await greet(port);
    const refused = async (line: string, code: number) =>
      assert.match(await client.ask(line), new RegExp(`^${code} `), line);
    await refused("EHLO", 501);
    await refused("LHLO x", 501);
    await refused("MAIL FROM:<a@b.example>", 530);
    await refused("AUTH CRAM-MD5", 504);
    await refused("AUTH PLAIN !!!!", 501);
    await refused("AUTH PLAIN eA==", 501);
    await refused("RCPT TO:<a@b.example>", 503);
    await refused("DATA", 503);
    await refused("BDAT 5 LAST", 500);
    await refused("XCLIENT ADDR=1.2.3.4", 500);
    await refused("GET / HTTP/1.1", 500);
    await refused("NO\0OP", 500);
    await refused("AUTH LOGIN", 334);
    await refused("*", 501);
    await refused("AUTH PLAIN AGEAZ29vZA==", 235);
    await refused("AUTH PLAIN AGEAZ29vZA==", 503);
    await refused("MAIL FROM:a@b.example", 501);
    await refused("MAIL FROM:<a@b.example> RET=HDRS", 555);
    await refused("MAIL FROM:<ø@b.example>", 553);
    await refused("MAIL FROM:<>", 250);
    await refused("MAIL FROM:<>", 503);
    await refused("RCPT TO:<@relay.example:a@b.example>", 553);
    await refused("RCPT TO:<a@b.example> NOTIFY=NEVER", 555);
    await refused("DATA", 554);
    for (let said = ""; !said.startsWith("421"); ) said = await client.ask("WIZ");
    await client.closed;
  }));

test("three wrong keys end the connection", () =>
  withServer({}, async ({ port }) => {
    const client = await greet(port);
    for (let n = 0; n < 3; n++) assert.match(await client.ask("AUTH PLAIN AGEAYmFk"), /^535/);
    await client.closed;
  }));

test("a client that sends for ever is stopped, in a mail and in a line", () =>
  withServer({ mailBytes: 100_000, lineBytes: 1_000 }, async ({ port, mails }) => {
    const client = await logIn(port, "good");
    await beginData(client, "c@d.example");
    const flood = setInterval(() => client.send(`${"x".repeat(70)}\r\n`.repeat(500)), 1);
    assert.match(await client.reply(), /^552 5\.3\.4/);
    await client.closed;
    clearInterval(flood);
    const other = await greet(port);
    other.send("x".repeat(5_000));
    assert.match(await other.reply(), /^500 5\.5\.2/);
    await other.closed;
    assert.equal(mails.length, 0);
  }));

/** Long enough for a busy machine to have said what it wants to say before. */
const SOON_MS = 1_000;

async function isLetGo(client: RawClient): Promise<void> {
  assert.match(await client.reply(), /^421 4\.4\.2/);
  await client.closed;
}

test("a client that says nothing is told so and let go: before it logs in, between mails and within one", () =>
  Promise.all([
    withServer({ loginMs: SOON_MS }, async ({ port }) => isLetGo(await greet(port))),
    withServer({ commandMs: SOON_MS }, async ({ port }) => isLetGo(await logIn(port, "good"))),
    withServer({ dataIdleMs: SOON_MS }, async ({ port }) => {
      const stuck = await logIn(port, "good");
      await beginData(stuck, "c@d.example");
      await isLetGo(stuck);
    }),
    withServer({ dataMs: SOON_MS }, async ({ port }) => {
      const slow = await logIn(port, "good");
      await beginData(slow, "c@d.example");
      const drip = setInterval(() => slow.send("x"), 5);
      await isLetGo(slow);
      clearInterval(drip);
    }),
  ]).then(() => undefined));

test("mails that fill the memory set aside for them are put off", () =>
  withServer({ heldBytes: 50_000 }, async ({ port, mails }) => {
    const [one, two] = await Promise.all([logIn(port, "good"), logIn(port, "good")]);
    for (const client of [one, two]) await beginData(client, "c@d.example");
    one.send("x".repeat(30_000));
    two.send("x".repeat(30_000));
    const said = await Promise.race([one.reply(), two.reply()]);
    assert.match(said, /^421 4\.3\.1/);
    const third = await logIn(port, "good");
    for (const client of [one, two]) client.end();
    await Promise.all([one.closed, two.closed]);
    // What a client held is free again once it has gone.
    for (let reply = ""; !reply.startsWith("250"); ) {
      const client = await logIn(port, "good");
      await beginData(client, "c@d.example");
      client.send(`${"x".repeat(40_000)}\r\n.\r\n`);
      reply = await client.reply();
      client.end();
    }
    assert.equal(mails.length, 1);
    third.end();
  }));

test("the oldest connection that hasn't logged in makes room for a new one; one that has logged in stays", () =>
  withServer({ connectionsOfNetwork: 2 }, async ({ port }) => {
    const known = await logIn(port, "good");
    const silent = await greet(port);
    const next = await logIn(port, "good");
    assert.match(await silent.reply(), /^421 4\.7\.0/);
    await silent.closed;
    const tooMany = await connectRaw(port);
    assert.match(await tooMany.reply(), /^421 4\.7\.0/);
    await tooMany.closed;
    for (const client of [known, next]) {
      assert.match(await client.ask("NOOP"), /^250/);
      client.end();
    }
  }));

test("a bug in what takes mails is told, answered 421, and ends that connection alone", () =>
  withServer({}, async ({ port, errors }) => {
    const [client, other] = await Promise.all([logIn(port, "good"), logIn(port, "good")]);
    await beginData(client, "c@d.example");
    client.send("bug\r\n.\r\n");
    assert.match(await client.reply(), /^421 4\.3\.0/);
    await client.closed;
    assert.equal(errors.length, 1);
    assert.match(await other.ask("NOOP"), /^250/);
    other.end();
  }));

test("where nobody logs in, mail is taken for recipients of ours alone, and whoever guesses is let go", () =>
  withServer(
    { refusedRecipients: 3 },
    async ({ port, mails }) => {
      const client = await greet(port);
      assert.doesNotMatch(await client.ask("EHLO x"), /AUTH/);
      assert.match(await client.ask("AUTH PLAIN AGEAZ29vZA=="), /^502/);
      assert.match(await client.ask("RCPT TO:<ours@b.example>"), /^503/);
      assert.match(await client.ask("MAIL FROM:<>"), /^250/);
      assert.match(await client.ask("RCPT TO:<later@b.example>"), /^451/);
      assert.match(await client.ask("RCPT TO:<one@b.example>"), /^550/);
      assert.match(await client.ask("DATA"), /^554/);
      assert.match(await client.ask("RCPT TO:<ours@b.example>"), /^250/);
      assert.match(await client.ask("DATA"), /^354/);
      client.send("x\r\n.\r\n");
      assert.match(await client.reply(), /^250/);
      await client.ask("MAIL FROM:<>");
      assert.match(await client.ask("RCPT TO:<two@b.example>"), /^550/);
      assert.match(await client.ask("RCPT TO:<three@b.example>"), /^550/);
      await client.closed;
      assert.deepEqual(
        mails.map(({ from, recipients }) => [from, recipients]),
        [["", ["ours@b.example"]]],
      );
    },
    (mails) => ({
      handlers: {
        greet: () => "anybody",
        beginMail: async () => undefined,
        async addRecipient(_client, recipient) {
          if (recipient.startsWith("later")) return reply(451, "4.3.0", "later");
          return recipient.startsWith("ours") ? undefined : reply(550, "5.1.1", "no");
        },
        async takeMail(_client, mail) {
          mails.push(mail);
          return reply(250, "2.0.0", "kept");
        },
      },
    }),
  ));
