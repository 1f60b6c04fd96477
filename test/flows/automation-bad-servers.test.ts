/** Servers that lie to an e-mail step, or lose what they were told: one row of the ledger for each in the journal, nobody doubled, and the run goes on. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertBalanced, runsOf } from "../support/automations.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let listId: string;
const servers: ScriptedServer[] = [];
before(async () => {
  app = await createApp({ settings: { INTERNAL_HOSTS: "127.0.0.1", RETRY_AFTER_SECONDS: "1" } });
  listId = await makeList(app, { from_email: "news@acme.example", postal_address: "1 High Street" });
});
after(async () => {
  await app.stop();
  await Promise.all(servers.map((server) => server.close()));
});

/** Starts servers, by which automations then mail: by the first of them that can be reached. */
async function mailBy(...scripts: readonly Script[]): Promise<readonly ScriptedServer[]> {
  const ids: string[] = [];
  const started: ScriptedServer[] = [];
  for (const script of scripts) {
    const server = await startScriptedServer(script);
    const reached = { host: "127.0.0.1", port: server.port, tls: "never" };
    const made = await app.api("POST", "/v1/transports", {
      body: { name: `Server ${server.port}`, ...reached },
    });
    assert.equal(made.status, 201, made.text);
    ids.push(made.body.id);
    started.push(server);
  }
  servers.push(...started);
  const order = await app.api("PUT", "/v1/transport_pools/automation", { body: { transports: ids } });
  assert.equal(order.status, 200, order.text);
  return started;
}

/** Starts an automation that mails whoever joins the list, and has them wait for a day then. */
async function start(): Promise<string> {
  const html = '<p>Hello, <a href="{{ unsubscribe_url }}">leave</a></p>';
  const draft = {
    format: 1,
    start: "mail",
    entry: { on: [{ type: "list_joined" }] },
    nodes: {
      mail: { type: "email", subject: "Hello", html, next: "pause" },
      pause: { type: "wait", for: "P1D", next: "end" },
      end: { type: "end" },
    },
  };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Hello", list_id: listId, draft } });
  const started = await app.api("POST", `/v1/automations/${made.body.id}/start`);
  assert.equal(started.status, 200, started.text);
  return uuidOf("aut", made.body.id);
}

let people = 0;
async function join(count: number): Promise<readonly string[]> {
  const emails = Array.from({ length: count }, () => `joins-${++people}@d${people}.example`);
  for (const email of emails) await addSubscriber(app, listId, email);
  return emails;
}

type Mail = { email: string; state: string; why: string | null; attempt: number; in_journal: number };
const mailsOf = (id: string) =>
  app.db.many<Mail>(sql`
    select c.email, d.state, d.why, d.attempt, (
      select count(*)::int from automation_journal j
      where j.account_id = d.account_id and j.source_id = d.source_id and j.contact_id = d.contact_id) as in_journal
    from deliveries d join sources s on s.account_id = d.account_id and s.id = d.source_id
    join subscribers c on c.account_id = d.account_id and c.contact_id = d.contact_id
    where s.owner_id = ${id} order by c.email`);

/** Waits until nothing of it is under way, and holds the ledger against the journal. */
async function settledMails(id: string, count: number): Promise<readonly Mail[]> {
  let mails: readonly Mail[] = [];
  await until(async () => {
    mails = await mailsOf(id);
    return (
      mails.length === count && mails.every(({ state }) => ["sent", "failed", "unknown"].includes(state))
    );
  });
  const { journal } = await app.db.one<{ journal: number }>(sql`
    select count(*)::int as journal from automation_journal where automation_id = ${id} and source_id is not null`);
  assert.deepEqual([journal, mails.every((one) => one.in_journal === 1)], [count, true], "one to one");
  await assertBalanced(app, id);
  return mails;
}

/** Lets the day go by that they wait for, and ends the automation. */
const drain = async (id: string) => {
  await app.db.execute(sql`
    update automation_runs set arrived_at = arrived_at - interval '1 day', due_at = due_at - interval '1 day'
    where automation_id = ${id} and state = 'active'`);
  await until(async () => (await runsOf(app, id)).every(({ state }) => state !== "active"));
  await assertBalanced(app, id);
  await app.db.execute(sql`update automations set state = 'archived' where id = ${id}`);
};
const messageIdsOf = ({ messages }: ScriptedServer) =>
  messages.map((message) => /^Message-ID: (.+)\r$/im.exec(message.toString())?.[1]);

describe("an e-mail step by a server", () => {
  it("that takes mail and drops the connection at the final dot sends the same message again, and goes on", async () => {
    const drop = (peer: { destroy(): unknown }) => peer.destroy();
    const [server] = (await mailBy({ dot: [drop, drop, "250 ok"] })) as [ScriptedServer];
    const id = await start();
    await join(1);
    const [mail] = await settledMails(id, 1);
    assert.deepEqual([mail?.state, mail?.attempt], ["sent", 3]);
    const names = messageIdsOf(server);
    assert.deepEqual(
      [names.length, new Set(names).size],
      [3, 1],
      "who shows it twice can tell that it is one",
    );
    assert.equal((await runsOf(app, id))[0]?.node, "pause");
    await drain(id);
    assert.deepEqual(
      (await runsOf(app, id)).map(({ state }) => state),
      ["completed"],
    );
  });

  it("that puts somebody off and then refuses them leads out who is suppressed by it, and nobody else", async () => {
    let server: ScriptedServer | undefined;
    const refused = { email: "", told: 0 };
    const answer = (peer: { write(text: string): unknown }) => {
      if (!server?.lines.at(-1)?.includes(refused.email)) return peer.write("250 ok\r\n");
      refused.told++;
      return peer.write(refused.told === 1 ? "450 4.2.1 later\r\n" : "550 5.1.1 no such user\r\n");
    };
    [server] = (await mailBy({ RCPT: answer })) as [ScriptedServer];
    const id = await start();
    refused.email = `joins-${people + 2}@`;
    const emails = await join(3);
    const mails = await settledMails(id, 3);
    assert.deepEqual(
      mails.map(({ email, state, why, attempt }) => [emails.indexOf(email), state, why, attempt]),
      [
        [0, "sent", null, 1],
        [1, "failed", "hard_bounce", 2],
        [2, "sent", null, 1],
      ],
    );
    // Where the commands come together, whoever is refused leaves a lone dot behind.
    assert.equal(server.messages.filter(({ length }) => length > 0).length, 2);
    await until(async () => (await runsOf(app, id)).some(({ state }) => state === "exited"));
    await drain(id);
    assert.deepEqual((await runsOf(app, id)).map((run) => run.ended_as ?? run.state).sort(), [
      "completed",
      "completed",
      "suppressed",
    ]);
  });

  it("that says nothing more after the recipient is left for the next one, which gets each mail once", async () => {
    const [silent, other] = (await mailBy({ RCPT: () => undefined }, {})) as [ScriptedServer, ScriptedServer];
    const id = await start();
    const emails = await join(3);
    await until(() => silent.lines.some((line) => line.startsWith("RCPT")));
    const mails = await settledMails(id, 3);
    assert.ok(mails.every(({ state }) => state === "sent"));
    assert.deepEqual([silent.messages.length, other.messages.length], [0, 3]);
    assert.equal(new Set(messageIdsOf(other)).size, 3);
    for (const email of emails)
      assert.equal(other.lines.filter((line) => line.startsWith(`RCPT TO:<${email}>`)).length, 1, email);
    assert.ok((await runsOf(app, id)).every(({ node, state }) => node === "pause" && state === "active"));
    await drain(id);
  });
});
