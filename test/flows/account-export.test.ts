/** The export of a whole account: what is in it, what never is, who gets it, and how it ends. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { get } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TABLES } from "../../src/account-data/account-data.ts";
import { columnsBehind } from "../../src/account-data/tables/table.ts";
import { ROLES } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { fillEveryTable, tablesWithAccount } from "../support/account-rows.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";
import { addPerson, PASSWORD } from "../support/people.ts";
import { until } from "../support/until.ts";

const KINDS = [
  ...[
    "key",
    "inv",
    "lst",
    "sub",
    "fld",
    "top",
    "seg",
    "imp",
    "blk",
    "exp",
    "cmp",
    "dom",
    "trn",
    "mbx",
    "iep",
  ],
  ...["fil", "frm", "tpl", "sec", "whk", "sup", "msg", "inb", "alr", "stm", "whd", "mtt", "usr"],
];

/** The time that readers of a test are held to have waited. */
let aheadMs = 0;
let app: TestApp;
let other: { accountId: string; key: string };
before(async () => {
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  app = await createApp({ clock, writesOwnEvents: true });
  other = await app.addAccount();
  for (const kind of KINDS) await makeFixture(app, app.key, kind);
  await makeFixture(app, other.key, "sub");
});
after(() => app.stop());

type Line = Record<string, unknown> & { object: string };

function linesOf(text: string): Line[] {
  assert.ok(text.endsWith("\n"));
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function exportAll(key = app.key): Promise<{ text: string; lines: Line[] }> {
  const reply = await app.api("GET", "/v1/account/export", { key });
  assert.equal(reply.status, 200, reply.text);
  return { text: reply.text, lines: linesOf(reply.text) };
}

test("every table of an account, and every column of it, is exported or left out for a reason", async () => {
  const found = await tablesWithAccount(app.db);
  assert.deepEqual(TABLES.map(({ table }) => table).sort(), [...found.keys()].sort());
  for (const one of TABLES) {
    if ("leftOut" in one) {
      assert.ok(one.leftOut.length > 10, one.table);
      continue;
    }
    const told = [...one.columns.flatMap(columnsBehind), ...Object.keys(one.withheld)];
    // The first line says whose it all is.
    const columns = (found.get(one.table) ?? []).map(({ name }) => name);
    const expected = one.table === "accounts" ? columns : columns.filter((name) => name !== "account_id");
    assert.deepEqual([...told].sort(), [...expected].sort(), one.table);
    assert.equal(new Set(told).size, told.length, one.table);
  }
});

test("a column that holds a secret is withheld", async () => {
  for (const [table, columns] of await tablesWithAccount(app.db)) {
    const one = TABLES.find((entry) => entry.table === table);
    if (!one || "leftOut" in one) continue;
    const secrets = columns.filter(
      ({ name, type }) =>
        /(^|_)(hash|secret|password|private_key|token|proofs)(_|$)/.test(name) ||
        (type === "bytea" && !["files", "sandbox_messages"].includes(table)),
    );
    for (const { name } of secrets) assert.ok(Object.hasOwn(one.withheld, name), `${table}.${name}`);
  }
});

test("it has a first line, everything of this account alone, and a last line that proves it", async () => {
  const subscriberId = await makeFixture(app, app.key, "sub");
  await app.api("PATCH", `/v1/subscribers/${subscriberId}`, { body: { tags: ["Blue", "amber"] } });
  const field = await app.api("POST", "/v1/fields", { body: { key: "plan", name: "Plan", type: "text" } });
  assert.equal(field.status, 201, field.text);
  await app.api("PATCH", `/v1/subscribers/${subscriberId}`, { body: { fields: { plan: "gold" } } });
  const mail = { from: "a@example.com", to: ["Ada <ada@example.com>"], subject: "Receipt", text: "Paid." };
  const attachments = [{ filename: "a.txt", content: Buffer.from("attached").toString("base64") }];
  assert.equal((await app.api("POST", "/v1/emails", { body: { ...mail, attachments } })).status, 202);
  const { text, lines } = await exportAll();
  const [first, last] = [lines[0], lines.at(-1)];
  assert.deepEqual(
    [first?.object, first?.["format"], first?.["account_id"]],
    ["account_export", 1, app.accountId],
  );
  assert.equal(last?.object, "account_export_end");
  assert.equal(last?.["lines"], lines.length);
  const body = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
  assert.equal(last?.["sha256"], createHash("sha256").update(body).digest("hex"));
  const counts = last?.["counts"] as Record<string, number>;
  for (const [object, count] of Object.entries(counts)) {
    assert.equal(lines.filter((line) => line.object === object).length, count, object);
  }
  const { body: shown } = await app.api("GET", `/v1/subscribers/${subscriberId}`);
  const line = lines.find(({ id }) => id === subscriberId);
  const same = [
    "id",
    "email",
    "list_id",
    "contact_id",
    "status",
    "tags",
    "fields",
    "created_at",
    "updated_at",
  ];
  for (const name of same) assert.deepEqual(line?.[name], shown[name], name);
  assert.deepEqual(line?.["fields"], { plan: "gold" });
  const email = lines.find(({ object, subject }) => object === "email" && subject === "Receipt");
  assert.equal(email?.["text"], "Paid.");
  const attachment = lines.find(({ object }) => object === "email_attachment");
  assert.equal(Buffer.from(String(attachment?.["content"]), "base64").toString(), "attached");
  const file = lines.find(({ object }) => object === "file");
  assert.ok(Buffer.from(String(file?.["content"]), "base64").length > 10);
  const account = fromPublicId("acc", app.accountId) ?? "";
  const { mine, others } = await app.db.one<{ mine: number; others: number }>(sql`
    select count(*) filter (where account_id = ${account}) as mine, count(*) filter (where account_id <> ${account}) as others
    from subscribers`);
  assert.deepEqual([counts["subscriber"], others], [mine, 1]);
});

test("no secret is in it, nor a mail that is for its recipient alone", async () => {
  const person = await addPerson(app, "secretive@example.com", "viewer");
  await app.api("POST", "/v1/password_resets", { body: { email: "secretive@example.com" }, key: null });
  const { body: transport } = await app.api("POST", "/v1/transports", {
    body: { name: "S", host: "localhost", username: "u", password: "very secret words" },
  });
  const { body: hook } = await app.api("POST", "/v1/webhooks", {
    body: { url: "https://hooks.invalid/2", events: ["campaign.sent"] },
  });
  await until(async () => {
    const { count } = await app.db.one<{ count: number }>(
      sql`select count(*) as count from own_mails where kind = 'password_reset'`,
    );
    return count > 0;
  });
  const { text, lines } = await exportAll();
  assert.ok(lines.some(({ id }) => id === transport.id));
  assert.ok(lines.some(({ id }) => id === person.id));
  for (const secret of [
    app.key,
    "very secret words",
    hook.secret,
    PASSWORD,
    "argon2",
    "prl_",
    "PRIVATE KEY",
  ]) {
    assert.ok(!text.includes(secret), secret);
  }
});

test("rows that nobody would expect are written too", async () => {
  // No job runs that would take them away.
  const quiet = await createApp({ settings: { ROLES: "api" }, writesOwnEvents: true });
  try {
    const { accountId, key } = await quiet.addAccount();
    assert.deepEqual(await fillEveryTable(quiet.db, accountId, ["account_deletions"]), []);
    const reply = await quiet.api("GET", "/v1/account/export", { key });
    assert.equal(reply.status, 200);
    const objects = new Set(linesOf(reply.text).map(({ object }) => object));
    const exported = TABLES.flatMap((one) => ("leftOut" in one ? [] : [one.object]));
    // A membership of nobody, and an attachment that no key opens, have no line.
    const missing = exported.filter((object) => !objects.has(object));
    assert.deepEqual(missing.sort(), ["account_deletion", "email_attachment", "user"]);
  } finally {
    await quiet.stop();
  }
});

test("the largest attachment fits into the thread that writes it", async () => {
  const { key } = await app.addAccount();
  const content = Buffer.alloc(17_500_000, "large").toString("base64");
  const attachments = [{ filename: "large.bin", content }];
  const mail = { from: "a@example.com", to: ["ada@example.com"], subject: "Large", text: "Large." };
  const sent = await app.api("POST", "/v1/emails", { key, body: { ...mail, attachments } });
  assert.equal(sent.status, 202, sent.text);
  await until(async () => {
    const { body } = await app.api("GET", "/v1/sandbox/messages", { key });
    return body.data.length > 0;
  });
  const { lines } = await exportAll(key);
  const line = lines.find(({ object }) => object === "email_attachment");
  const caught = lines.find(({ object }) => object === "sandbox_message");
  assert.ok(line?.["content"] === content || String(caught?.["raw"]).length > content.length);
});

test("it is read in one snapshot, whatever is written meanwhile", async () => {
  const { accountId, key } = await app.addAccount();
  const { body: list } = await app.api("POST", "/v1/lists", { key, body: { name: "Many" } });
  const subscribers = Array.from({ length: 1_000 }, (_, n) => ({
    email: `many${n}@example.com`,
    list_id: list.id,
    first_name: "x".repeat(200),
  }));
  const more = async (from: string) => {
    const body = {
      subscribers: subscribers.map((one) => ({ ...one, email: `${from}${one.email}` })),
    };
    assert.equal((await app.api("POST", "/v1/subscribers/batch", { key, body })).status, 200);
  };
  for (const part of ["a", "b", "c", "d"]) await more(part);
  const reading = await openReading(key);
  await more("tardy");
  const text = await reading.rest();
  const counts = linesOf(text).at(-1)?.["counts"] as Record<string, number>;
  assert.equal(counts["subscriber"], 4_000);
  assert.ok(!text.includes("tardy"));
  const { count } = await app.db.one<{ count: number }>(
    sql`select count(*) as count from subscribers where account_id = ${accountId}`,
  );
  assert.equal(count, 5_000);
});

/** Begins to read and waits: some of it is in this process, and the service waits to be read. */
async function openReading(key: string) {
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    get(`${app.baseUrl}/v1/account/export`, { headers: { authorization: `Bearer ${key}` } }, resolve).on(
      "error",
      reject,
    );
  });
  assert.equal(response.statusCode, 200);
  response.pause();
  await until(async () => response.readableLength > 0);
  return {
    async rest() {
      let text = "";
      response.setEncoding("utf8");
      for await (const chunk of response) text += chunk;
      return text;
    },
    async some(bytes: number) {
      let taken = 0;
      while (taken < bytes) {
        const chunk: Buffer | null = response.read();
        if (chunk) taken += chunk.length;
        else await sleep(10);
      }
    },
    leave: () => response.destroy(),
  };
}

test("of several that are asked for at once one is given, and one is recorded", async () => {
  const { accountId, key } = await app.addAccount();
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => app.api("GET", "/v1/account/export", { key })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 429, 429, 429, 429]);
  const recorded = await app.db.many(
    sql`select from audit_log where account_id = ${accountId} and action = 'account.exported'`,
  );
  assert.equal(recorded.length, 1);
});

test("an account has one export at a time, and whoever leaves ends it", async () => {
  const { body: list } = await app.api("POST", "/v1/lists", { body: { name: "Large" } });
  for (let part = 0; part < 12; part++) {
    const subscribers = Array.from({ length: 1_000 }, (_, n) => ({
      email: `large${part}.${n}@example.com`,
      list_id: list.id,
      first_name: "x".repeat(200),
    }));
    assert.equal((await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } })).status, 200);
  }
  const reading = await openReading(app.key);
  const second = await app.api("GET", "/v1/account/export");
  assert.deepEqual([second.status, second.body.code], [429, "account_export_running"]);
  assert.equal(second.headers.get("retry-after"), "60");
  reading.leave();
  await until(async () => (await app.api("GET", "/v1/account/export")).status === 200);
});

test("whoever takes a little now and then is cut off", async () => {
  const reading = await openReading(app.key);
  // What the reader's machine holds by itself has arrived by then, and the service waits.
  await sleep(2_500);
  aheadMs += 55_000;
  await sleep(1_500);
  await reading.some(1_500_000);
  await sleep(2_500);
  aheadMs += 50_000;
  await until(async () => app.logs.some((line) => line.includes("takes less than 64 KB a second")), 5_000);
  await assert.rejects(reading.rest());
});

test("a key that is revoked meanwhile gets no further", async () => {
  const { body: made } = await app.api("POST", "/v1/api_keys", {
    body: { name: "B", scopes: ["account:export"] },
  });
  const reading = await openReading(made.key);
  assert.equal((await app.api("DELETE", `/v1/api_keys/${made.id}`)).status, 204);
  await until(async () => app.logs.some((line) => line.includes("whoever asked may no longer read")), 20_000);
  await assert.rejects(reading.rest());
});

test("owners alone get it, once they have confirmed, and it is recorded", async () => {
  for (const role of ROLES) {
    const { browser, id } = await addPerson(app, `exporting-${role}@example.com`, role);
    await app.db.execute(sql`
      update sessions set confirmed_at = null from users where users.person_id = sessions.person_id
        and users.id = ${fromPublicId("usr", id)}`);
    const reply = await browser.send("GET", "/v1/account/export");
    if (role !== "owner") {
      assert.deepEqual([reply.status, reply.body.required_scope], [403, "account:export"], role);
      continue;
    }
    assert.deepEqual([reply.status, reply.body.code], [403, "confirmation_required"]);
    assert.equal((await browser.send("POST", "/v1/session/confirm", { password: PASSWORD })).status, 200);
    assert.equal((await browser.send("GET", "/v1/account/export")).status, 200);
    const { body } = await app.api("GET", `/v1/audit?action=account.exported&actor=${id}`);
    assert.equal(body.data.length, 1);
    assert.equal(body.data[0].target_id, app.accountId);
  }
});
