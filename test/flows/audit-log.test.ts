/** What the audit log holds of people who sign in and of the operator, and how it is read, filtered and exported. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, TEST_SECRET_KEY, type TestApp } from "../support/app.ts";
import { auditRows } from "../support/audit.ts";
import {
  addPerson,
  joinAs,
  openBrowser,
  PASSWORD,
  type Person,
  signIn,
  tokenOfLink,
} from "../support/people.ts";
import { addApp } from "../support/second-factors.ts";
import { makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let other: { accountId: string; key: string };
let ada: Person;
let idElsewhere: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api,jobs" } });
  other = await app.addAccount();
  ada = await addPerson(app, "ada@example.com", "admin");
  idElsewhere = (await joinAs(app, ada, other.key)).id;
});
after(() => app.stop());

/** Returns the rows that `work` adds, as "account action actor target". */
async function added(work: () => Promise<unknown>): Promise<string[]> {
  const known = await app.db.many<{ id: string }>(sql`select id from audit_log`);
  await work();
  return tell(
    await auditRows(
      app,
      known.map(({ id }) => id),
    ),
  );
}

function tell(rows: Awaited<ReturnType<typeof auditRows>>): string[] {
  const accounts = new Map([
    [uuidOf("acc", app.accountId), "ours"],
    [other.accountId, "theirs"],
  ]);
  return rows
    .map(
      (row) =>
        `${accounts.get(row.account_id)} ${row.action} ${row.actor_id ?? row.actor_kind} ${row.target_id}`,
    )
    .sort();
}

/** What a person does to their session stands in each of their accounts. */
const inBoth = (action: string) =>
  [`ours ${action} ${ada.id} ${ada.id}`, `theirs ${action} ${idElsewhere} ${idElsewhere}`].sort();

/** Waits until no job is left that records a refused sign-in. */
function recorded(): Promise<void> {
  return until(async () => {
    const { count } = await app.db.one<{ count: number }>(sql`
      select count(*) as count from graphile_worker.jobs where task_identifier = 'record_refused_sign_in'`);
    return count === 0;
  });
}

describe("people", () => {
  it("sign in and out in each of their accounts", async () => {
    let browser = openBrowser(app);
    const opened = await added(async () => {
      browser = (await signIn(app, ada.email)).browser;
    });
    assert.deepEqual(opened, inBoth("session.opened"));
    const headers = { "postrider-account": app.accountId };
    const ended = await added(() => browser.send("DELETE", "/v1/session", undefined, headers));
    assert.deepEqual(ended, inBoth("session.ended"));
  });

  it("change their password in each of their accounts", async () => {
    const { browser } = await signIn(app, ada.email);
    const body = { current_password: PASSWORD, new_password: "sturdy mule charger clip" };
    const headers = { "postrider-account": app.accountId };
    const changed = await added(() => browser.send("POST", "/v1/session/password", body, headers));
    assert.deepEqual(changed, inBoth("user.password_changed"));
    const back = { current_password: body.new_password, new_password: PASSWORD };
    assert.equal((await browser.send("POST", "/v1/session/password", back, headers)).status, 200);
  });

  it("leave no row where they add somebody who is there already, and skip them", async () => {
    const { browser } = await addPerson(app, "adds@example.com", "marketer");
    const { body: list } = await app.api("POST", "/v1/lists", { body: { name: "Known" } });
    const add = () =>
      browser.send("POST", "/v1/subscribers?on_conflict=skip", {
        email: "known@example.com",
        list_id: list.id,
      });
    const first = await added(async () => assert.equal((await add()).status, 201));
    assert.match(first.join(), /^ours subscriber\.created /);
    assert.deepEqual(await added(async () => assert.equal((await add()).status, 200)), []);
  });

  it("redeem a link once, in the account that they join", async () => {
    const redeemed = await added(() => addPerson(app, "bea@example.com"));
    assert.deepEqual(
      redeemed.map((row) => row.split(" ").slice(0, 2).join(" ")),
      ["ours invitation.created", "ours user.link_redeemed"],
    );
  });

  it("redeem a link where a factor is due: the change is recorded at once, and then the session", async () => {
    const { id, browser } = await addPerson(app, "dora@example.com");
    const factor = await addApp(browser, new Date());
    const { body: link } = await app.api("POST", `/v1/users/${id}/password_link`);
    const body = { token: tokenOfLink(link.url), password: "sturdy mule charger clip" };
    let token = "";
    const redeemed = await added(async () => {
      const reply = await openBrowser(app).send("POST", "/v1/password_links/redeem", body);
      assert.equal(reply.status, 202, reply.text);
      token = reply.body.token;
    });
    assert.deepEqual(redeemed, [`ours user.link_redeemed ${id} ${id}`]);
    const opened = await added(async () => {
      const proof = { token, recovery_code: factor.recoveryCodes[0] };
      const reply = await openBrowser(app).send("POST", "/v1/session/second_factor", proof);
      assert.equal(reply.status, 201, reply.text);
    });
    assert.deepEqual(opened, [`ours session.opened ${id} ${id}`]);
  });

  it("who are refused are told of as strangers, without what was typed", async () => {
    const before_ = await auditRows(app);
    const { reply } = await signIn(app, ada.email, "not the password");
    assert.equal(reply.status, 401);
    await recorded();
    const rows = (await auditRows(app)).slice(before_.length);
    const expected = [
      `ours session.refused stranger ${ada.id}`,
      `theirs session.refused stranger ${idElsewhere}`,
    ];
    assert.deepEqual(tell(rows), expected.sort());
    assert.ok(rows.every((row) => row.request_id === reply.headers.get("x-request-id")));
    assert.doesNotMatch(JSON.stringify(rows), /@|not the password/);
  });

  it("whom nobody knows leave no row, and those who try too often neither", async () => {
    const before_ = (await auditRows(app)).length;
    assert.equal((await signIn(app, "nobody@example.com", "wrong")).reply.status, 401);
    for (let i = 0; i < 12; i++) await signIn(app, "bea@example.com", "wrong");
    const last = await signIn(app, "bea@example.com", "wrong");
    assert.equal(last.reply.status, 429);
    await recorded();
    const rows = (await auditRows(app)).slice(before_);
    assert.ok(rows.length >= 5 && rows.length < 12, `${rows.length} rows`);
    assert.ok(rows.every((row) => row.action === "session.refused"));
  });
});

describe("the operator", () => {
  async function run(name: string, values: Record<string, string>) {
    const command = commands.find((one) => one.name === name);
    const loaded = loadConfig(
      { DATA_DIR: app.dataDir, DATABASE_URL: app.databaseUrl, SECRET_KEY: TEST_SECRET_KEY },
      "no .env in tests",
    );
    const log = createLog({ level: "silent", pretty: false });
    await command?.run({ loaded, clock: systemClock, log, values, words: [], print: () => undefined });
  }

  it("is named for what the command line changes", async () => {
    const account = { account: app.accountId };
    const rows = await added(async () => {
      await run("keys create", { ...account, name: "Shop" });
      await run("users create", { ...account, email: "cleo@example.com" });
      await run("users reset", { email: ada.email });
    });
    const forms = [
      /^ours api_key\.created operator key_\w+$/,
      /^ours invitation\.created operator inv_\w+$/,
      /^(ours|theirs) user\.link_made operator usr_\w+$/,
    ];
    assert.equal(rows.length, forms.length);
    for (const form of forms)
      assert.ok(
        rows.some((row) => form.test(row)),
        `${form} of ${rows.join("; ")}`,
      );
  });

  it("makes accounts, and the first start makes the first", async () => {
    const made = (await auditRows(app)).filter(({ action }) => action === "account.created");
    assert.deepEqual(
      made.map(({ actor_kind }) => actor_kind),
      ["system"],
    );
    await run("accounts create", { name: "Third" });
    const all = (await auditRows(app)).filter(({ action }) => action === "account.created");
    assert.deepEqual(
      all.map(({ actor_kind }) => actor_kind),
      ["system", "operator"],
    );
  });
});

describe("the log", () => {
  let campaignId: string;
  before(async () => {
    const list_id = await makeList(app);
    const body = { name: "News", list_id, subject: "News", html: "<p>News</p>" };
    campaignId = (await app.api("POST", "/v1/campaigns", { body })).body.id;
    const headers = { "user-agent": '=cmd|"calc"' };
    await app.api("PATCH", `/v1/campaigns/${campaignId}`, { body: { subject: "Other news" }, headers });
    await app.api("DELETE", `/v1/campaigns/${campaignId}`);
  });

  const read = async (query: string, options = {}) => {
    const reply = await app.api("GET", `/v1/audit?${query}`, options);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };

  it("says who did what to what, from where, with the request's id", async () => {
    const { data } = await read(`target=${campaignId}&action=campaign.updated`);
    const [entry] = data;
    const { id, actor, request_id: requestId, created_at: at, ...rest } = entry;
    assert.deepEqual(rest, {
      object: "audit_entry",
      action: "campaign.updated",
      target_id: campaignId,
      fields: ["subject"],
      network: "127.0.0.1",
      user_agent: '=cmd|"calc"',
      updated_at: at,
    });
    assert.match(id, /^aud_/);
    assert.deepEqual([actor.kind, actor.name], ["api_key", "First key"]);
    assert.match(requestId, /^req_/);
  });

  it("is filtered by actor, action, kind of thing, target and time", async () => {
    const actionsOf = async (query: string) =>
      (await read(query)).data.map(({ action }: { action: string }) => action);
    const all = ["campaign.deleted", "campaign.updated", "campaign.created"];
    assert.deepEqual(await actionsOf(`target=${campaignId}`), all);
    assert.deepEqual(await actionsOf("action=campaign.*"), all);
    assert.deepEqual(await actionsOf("action=campaign.deleted"), ["campaign.deleted"]);
    assert.ok(
      (await actionsOf(`actor=${ada.id}`)).every((action: string) => /^(session|user)\./.test(action)),
    );
    assert.deepEqual(new Set(await actionsOf("actor=stranger")), new Set(["session.refused"]));
    const { data } = await read(`target=${campaignId}`);
    const [newest, , oldest] = data;
    const times = { created_after: oldest.created_at, created_before: newest.created_at };
    const between = await read(`target=${campaignId}&${new URLSearchParams(times)}`);
    assert.ok(between.data.length <= 1 && between.data[0]?.action !== "campaign.deleted");
    assert.deepEqual(await actionsOf("created_after=2099-01-01T00:00:00Z"), []);
  });

  it("refuses filters that there aren't", async () => {
    for (const query of [
      "actor=root",
      "action=campaign",
      "action=*.created",
      "target=x",
      "by=ada",
      "created_after=now",
    ]) {
      assert.equal((await app.api("GET", `/v1/audit?${query}`)).status, 400, query);
    }
  });

  it("is paged without gap or repetition, with a total where it is asked for", async () => {
    const whole = await read("limit=200&include_total=true");
    assert.equal(whole.total, whole.data.length);
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await read(`limit=3${cursor && `&cursor=${cursor}`}`);
      ids.push(...page.data.map(({ id }: { id: string }) => id));
      if (!page.has_more) break;
      cursor = page.next_cursor;
    }
    assert.deepEqual(
      ids,
      whole.data.map(({ id }: { id: string }) => id),
    );
  });

  it("shows neighbours nothing of ours", async () => {
    const { data } = await read("limit=200", { key: other.key });
    assert.ok(data.length > 0);
    assert.deepEqual(
      data.filter(({ target_id }: { target_id: string }) => target_id === campaignId),
      [],
    );
    assert.deepEqual((await read(`target=${campaignId}`, { key: other.key })).data, []);
    const file = await app.api("GET", "/v1/audit/export", { key: other.key });
    assert.doesNotMatch(file.text, new RegExp(campaignId));
  });

  it("is read by owners and admins alone", async () => {
    const headers = { "postrider-account": app.accountId };
    const statusOf = async (person: Person) =>
      (await person.browser.send("GET", "/v1/audit", undefined, headers)).status;
    assert.equal(await statusOf(await addPerson(app, "owner@example.com", "owner")), 200);
    assert.equal(await statusOf(await addPerson(app, "admin@example.com", "admin")), 200);
    for (const role of ["marketer", "writer", "viewer"] as const) {
      assert.equal(await statusOf(await addPerson(app, `${role}@example.com`, role)), 403, role);
    }
  });

  it("is exported whole as CSV that runs nothing, and as lines of JSON", async () => {
    const file = await app.api("GET", `/v1/audit/export?target=${campaignId}`);
    assert.equal(file.status, 200);
    assert.match(file.headers.get("content-type") ?? "", /^text\/csv/);
    assert.match(file.headers.get("content-disposition") ?? "", /attachment; filename="audit-.*\.csv"/);
    const lines = file.text.trimEnd().split("\r\n");
    assert.equal(
      lines[0],
      "created_at,action,target_id,actor_kind,actor_id,actor_name,fields,network,user_agent,request_id,id",
    );
    assert.equal(lines.length, 4);
    const [, , updated = ""] = lines;
    assert.ok(updated.includes(`,campaign.updated,${campaignId},api_key,`), updated);
    assert.ok(updated.includes(`,"'=cmd|""calc""",`), updated);
    const json = await fetch(`${app.baseUrl}/v1/audit/export?format=jsonl&target=${campaignId}`, {
      headers: { authorization: `Bearer ${app.key}` },
    });
    assert.match(json.headers.get("content-type") ?? "", /^application\/jsonl/);
    const entries = (await json.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(entries, (await read(`target=${campaignId}`)).data);
  });
});
