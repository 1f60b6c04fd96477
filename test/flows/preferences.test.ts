/** The preference page of mail that was really sent: what people choose, and what nobody but the mailbox's owner may. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { mailedLinks, sendWithPreferences } from "../support/preferences.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";

const SERVED = { opens: true, clicks: true, unsubscribe: true };
const NAMES = [
  "choose",
  "stale",
  "pause",
  "dormant",
  "track",
  "stop",
  "one-click",
  "forgotten",
  "data",
  "delete",
  "move",
  "taken",
  "keeper",
  "flood",
  "late",
  "race",
  "german",
  "hostile",
] as const;
const addressOf = (name: string) => `${name}@people.example`;

let app: TestApp;
let letter: string;
let club: string;
let secret: string;
let topicId: string;
let paths: Map<string, string>;

before(async () => {
  app = await createApp({ served: SERVED });
  await app.api("PATCH", "/v1/account", { body: { name: "Fernhill Books", time_zone: "Europe/London" } });
  letter = await makeList(app, { name: "The weekly letter" });
  club = await makeList(app, { name: "Poetry club", public: true });
  secret = await makeList(app, { name: "People who owe us money" });
  topicId = (await app.api("POST", "/v1/topics", { body: { name: "Evenings", description: "In Otley" } }))
    .body.id;
  for (const name of NAMES) {
    await addSubscriber(app, letter, addressOf(name), { first_name: "Priya", tags: ["poetry-shelf"] });
    await addSubscriber(app, club, addressOf(name));
    await addSubscriber(app, secret, addressOf(name));
  }
  paths = await sendWithPreferences(app, letter);
});
after(() => app.stop());

const pathOf = (name: string) => paths.get(addressOf(name)) ?? "";
/** Without the style sheet, so that what a page says can be looked for in it. */
const readText = async (answer: Response) => (await answer.text()).replaceAll(/<style>[^<]*<\/style>/g, "");
async function get(path: string, language = "en") {
  const answer = await fetch(app.baseUrl + path, { headers: { "accept-language": language } });
  return { status: answer.status, text: await readText(answer), headers: answer.headers };
}
async function post(path: string, fields: [string, string][], language = "en") {
  const answer = await fetch(app.baseUrl + path, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
    headers: { "accept-language": language },
  });
  return { status: answer.status, text: await readText(answer), headers: answer.headers };
}
/** What the form of a page would send if nothing was touched, with some boxes ticked or not. */
function filled(page: string, on: readonly string[], more: [string, string][] = []): [string, string][] {
  const shown = [...page.matchAll(/type="hidden" name="shown" value="([^"]*)"/g)].map(([, id]) => id ?? "");
  return [
    ...shown.map((id): [string, string] => ["shown", id]),
    ...on.map((id): [string, string] => ["on", id]),
    ...more,
    ["act", "save"],
  ];
}
const rowsOf = (name: string) =>
  app.db.many<{ list: string; status: string; tracking_consent: boolean | null; email: string }>(
    sql`select l.name as list, s.status, s.tracking_consent, s.email from subscribers s
      join lists l on l.account_id = s.account_id and l.id = s.list_id
      where s.email = ${addressOf(name)} order by l.name`,
  );
const statusesOf = async (name: string) =>
  Object.fromEntries((await rowsOf(name)).map(({ list, status }) => [list, status]));
const pauseOf = (name: string) =>
  app.db.maybeOne<{ until: Date }>(sql`
    select p.until from contact_pauses p join subscribers s on s.contact_id = p.contact_id
    where s.email = ${addressOf(name)} limit 1`);
const mailsTo = async (email: string) =>
  (await app.db.many(sql`select from sandbox_messages where envelope_to = ${email}`)).length;
/** Makes the links of a person older than they are. */
const age = (kind: string, name: string) =>
  app.db.execute(sql`
    update preference_links set created_at = created_at - interval '61 minutes'
    where kind = ${kind} and contact_id = (
      select contact_id from subscribers where email = ${addressOf(name)} limit 1)`);
/** Asks for a link, and returns the path that was mailed. */
async function freshLink(name: string, act: string, nth = 1): Promise<string> {
  assert.equal((await post(pathOf(name), [["act", act]])).status, 200);
  return (await mailedLinks(app, addressOf(name), nth)).at(nth - 1)?.path ?? "";
}

describe("the preference page", () => {
  it("shows topics, the mail's list and public ones, and tells a stranger nothing else", async () => {
    const { status, text, headers } = await get(pathOf("choose"));
    assert.equal(status, 200);
    assert.match(text, /What would you like to read\?/);
    assert.match(text, /For <b><bdi>c…@people\.example<\/bdi><\/b>/);
    assert.match(text, /Evenings.*In Otley.*Poetry club.*The weekly letter/s);
    assert.doesNotMatch(text, /choose@|Priya|poetry-shelf|owe us money/);
    assert.match(headers.get("cache-control") ?? "", /no-store/);
  });

  it("changes what was unticked, sends no mail, and takes everything back but a list, which it asks about", async () => {
    const page = (await get(pathOf("choose"))).text;
    const before = await mailsTo(addressOf("choose"));
    const saved = await post(
      pathOf("choose"),
      filled(
        page,
        [letter],
        [
          ["pause", "none"],
          ["tracking", "yes"],
        ],
      ),
    );
    assert.match(saved.text, /Saved\. It holds from the next mail on\./);
    assert.deepEqual(await statusesOf("choose"), {
      "People who owe us money": "active",
      "Poetry club": "unsubscribed",
      "The weekly letter": "active",
    });
    const choice = await app.db.one<{ is_on: boolean }>(
      sql`select is_on from topic_choices where topic_id = ${uuidOf("top", topicId)}
        and contact_id = (select contact_id from subscribers where email = ${addressOf("choose")} limit 1)`,
    );
    assert.equal(choice.is_on, false);
    assert.equal(await mailsTo(addressOf("choose")), before);
    const back = await post(
      pathOf("choose"),
      filled(saved.text, [letter, club, topicId], [["tracking", "yes"]]),
    );
    assert.match(back.text, /Waits for you to confirm/);
    assert.equal((await statusesOf("choose"))["Poetry club"], "pending");
    const consent = await app.db.many<{ action: string; source: string }>(sql`
      select action, source from consents where action = 'granted' and source = 'preference_page'`);
    assert.equal(consent.length, 1);
  });

  it("leaves alone what it didn't show, lists of others and made-up ids, and knows its own pause", async () => {
    const forged: [string, string][] = [
      ["shown", secret],
      ["shown", "lst_x\r\nBcc: all@example.com"],
      ["shown", "constructor"],
      ["on", "\u0000"],
      ["pause", "36500"],
      ["act", "save"],
    ];
    assert.equal((await post(pathOf("stale"), forged)).status, 200);
    assert.deepEqual(Object.values(await statusesOf("stale")), ["active", "active", "active"]);
    assert.equal(await pauseOf("stale"), undefined);
  });

  it("wakes whom a sunset policy took for dormant, on every list, whatever is saved", async () => {
    await app.db.execute(sql`
      insert into dormancies (account_id, subscriber_id, list_id, state, marked_at, changed_at)
      select account_id, id, list_id, 'dormant', now(), now() from subscribers where email = ${addressOf("dormant")}`);
    const asleep = () =>
      app.db.many(sql`
        select from dormancies z join subscribers s on s.account_id = z.account_id and s.id = z.subscriber_id
        where s.email = ${addressOf("dormant")} and z.state = 'dormant'`);
    const page = (await get(pathOf("dormant"))).text;
    assert.equal((await asleep()).length, 3, "to look changes nothing");
    const tracked: [string, string] = ["tracking", "yes"];
    await post(pathOf("dormant"), filled(page, [letter, club, topicId], [["pause", "none"], tracked]));
    assert.equal((await asleep()).length, 0);
  });

  it("pauses for 30 or 90 days, keeps a pause, and ends it, without a mail", async () => {
    const page = (await get(pathOf("pause"))).text;
    const all = [letter, club, topicId];
    const before = await mailsTo(addressOf("pause"));
    const tracked: [string, string] = ["tracking", "yes"];
    const asked = Date.now();
    const paused = await post(pathOf("pause"), filled(page, all, [["pause", "30"], tracked]));
    assert.match(paused.text, /<option value="keep" selected>Until /);
    const until = (await pauseOf("pause"))?.until.getTime() ?? 0;
    assert.ok(Math.abs(until - asked - 30 * 86_400_000) < 3_600_000);
    await post(pathOf("pause"), filled(page, all, [["pause", "keep"], tracked]));
    assert.equal((await pauseOf("pause"))?.until.getTime(), until);
    await post(pathOf("pause"), filled(page, all, [["pause", "none"], tracked]));
    assert.equal(await pauseOf("pause"), undefined);
    assert.deepEqual(Object.values(await statusesOf("pause")), ["active", "active", "active"]);
    assert.equal(await mailsTo(addressOf("pause")), before);
  });

  it("takes a no to being tracked, with its exact words, on every list", async () => {
    const page = (await get(pathOf("track"))).text;
    assert.match(page, /name="tracking" value="yes" checked/);
    const saved = await post(pathOf("track"), filled(page, [letter, club, topicId]));
    assert.doesNotMatch(saved.text, /name="tracking" value="yes" checked/);
    assert.deepEqual(
      (await rowsOf("track")).map((row) => row.tracking_consent),
      [false, false, false],
    );
    const logged = await app.db.many<{ wording: string; ip: string }>(sql`
      select c.wording, c.ip from consents c join subscribers s on s.id = c.subscriber_id
      where s.email = ${addressOf("track")} and c.action = 'tracking_withdrawn'`);
    assert.equal(logged.length, 3);
    assert.match(logged[0]?.wording ?? "", /^Note which mails I open and what I click\. Otherwise/);
    assert.equal(logged[0]?.ip, "127.0.0.1");
    await post(pathOf("track"), filled(page, [letter, club, topicId], [["tracking", "yes"]]));
    assert.equal((await rowsOf("track"))[0]?.tracking_consent, true);
  });

  it("stops everything by one button, which can be undone", async () => {
    const stopped = await post(pathOf("stop"), [
      ["scope", "all"],
      ["pause", "none"],
    ]);
    assert.match(stopped.text, /You are unsubscribed from everything/);
    assert.deepEqual(Object.values(await statusesOf("stop")), [
      "unsubscribed",
      "unsubscribed",
      "unsubscribed",
    ]);
    const page = (await get(pathOf("stop"))).text;
    assert.match(page, /You have unsubscribed from everything/);
    const undo = /action="(\/u\/[^"]*\/undo\/[^"]*)"/.exec(stopped.text)?.[1] ?? "";
    assert.equal((await post(undo, [])).status, 200);
    assert.deepEqual(Object.values(await statusesOf("stop")), ["active", "active", "active"]);
  });

  it("takes a mail program's one-click POST for what it is", async () => {
    const answer = await post(pathOf("one-click"), [["List-Unsubscribe", "One-Click"]]);
    assert.equal(answer.status, 200);
    assert.equal((await statusesOf("one-click"))["The weekly letter"], "unsubscribed");
  });

  it("changes nothing by GET or HEAD", async () => {
    const before = await rowsOf("hostile");
    for (const query of ["", "?act=save", "?scope=all", "?act=delete"]) {
      assert.equal((await get(pathOf("hostile") + query)).status, 200);
      await fetch(app.baseUrl + pathOf("hostile") + query, { method: "HEAD" });
    }
    assert.deepEqual(await rowsOf("hostile"), before);
    const links = await app.db.many(sql`
      select from preference_links where contact_id = (
        select contact_id from subscribers where email = ${addressOf("hostile")} limit 1)`);
    assert.equal(links.length, 0);
  });

  it("says to a forgotten person's link that there is nothing", async () => {
    const { id } = await app.db.one<{ id: string }>(
      sql`select id from subscribers where email = ${addressOf("forgotten")} limit 1`,
    );
    assert.equal((await app.api("POST", `/v1/subscribers/${toPublicId("sub", id)}/forget`)).status, 202);
    for (const page of [await get(pathOf("forgotten")), await post(pathOf("forgotten"), [["act", "data"]])]) {
      assert.equal(page.status, 200);
      assert.match(page.text, /There is nothing here/);
      assert.match(page.text, /keeps nothing about whoever this link belonged to/);
    }
  });

  it("is nothing for a token that isn't one, or is another account's with ids exchanged", async () => {
    const token = pathOf("choose").slice(3);
    const other = `${token.slice(0, 2)}${token[2] === "A" ? "B" : "A"}${token.slice(3)}`;
    for (const path of ["/p/x", `/p/${other}`, `/p/${"A".repeat(87)}`]) {
      assert.equal((await get(path)).status, 404, path);
      assert.equal((await post(path, [["act", "delete"]])).status, 404, path);
    }
    for (const path of ["/p/link/x", `/p/link/${"A".repeat(64)}`, `/p/link/${token}`]) {
      assert.equal((await get(path)).status, 404, path);
      assert.equal((await post(path, [])).status, 404, path);
    }
  });
});

describe("a link for one's own data", () => {
  it("is mailed to the address, and gives all that is kept of the person as JSON", async () => {
    const path = await freshLink("data", "data");
    const [mail] = await mailedLinks(app, addressOf("data"), 1);
    assert.equal(mail?.subject, "Your data at Fernhill Books");
    assert.match(mail?.text ?? "", /good for an hour/);
    assert.match((await get(path)).text, /d…@people\.example/);
    const file = await post(path, []);
    assert.match(file.headers.get("content-type") ?? "", /^application\/json/);
    assert.match(file.headers.get("content-disposition") ?? "", /attachment/);
    const data = JSON.parse(file.text) as Json;
    assert.equal(data["address"], addressOf("data"));
    assert.deepEqual(data["subscriptions"].map((one: Json) => one["list"]).toSorted(), [
      "People who owe us money",
      "Poetry club",
      "The weekly letter",
    ]);
    const mine = data["subscriptions"].find((one: Json) => one["list"] === "The weekly letter");
    assert.deepEqual([mine.first_name, mine.tags, mine.status], ["Priya", ["poetry-shelf"], "active"]);
    assert.ok(
      mine.history.some((one: Json) => one["type"] === "email.sent"),
      JSON.stringify(mine.history),
    );
    assert.deepEqual(data["topics"], [{ name: "Evenings", on: true, chosen_by_you: false }]);
    assert.equal(data["transactional_mails"][0].subject, "Your data at Fernhill Books");
    for (const name of NAMES) if (name !== "data") assert.ok(!file.text.includes(addressOf(name)), name);
    assert.equal((await post(path, [])).status, 200, "it changes nothing, so it may be had again");
  });

  it("isn't readable by API keys, since it carries the link", async () => {
    const mails = await app.api("GET", `/v1/emails?to=${addressOf("data")}`);
    assert.doesNotMatch(mails.text, /\/p\/link\//);
    for (const { id } of mails.body.data) {
      const shown = await app.api("GET", `/v1/emails/${id}/content`);
      assert.doesNotMatch(shown.text, /\/p\/link\//);
    }
  });

  it("is over after an hour", async () => {
    const path = await freshLink("late", "data");
    await age("data", "late");
    for (const page of [await get(path), await post(path, [])]) {
      assert.equal(page.status, 410);
      assert.match(page.text, /This link has expired/);
    }
  });

  it("is mailed three times an hour at most, and the answer is the same", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => post(pathOf("flood"), [["act", "data"]])),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const links = await app.db.many(sql`
      select from preference_links where contact_id = (
        select contact_id from subscribers where email = ${addressOf("flood")} limit 1)`);
    assert.equal(links.length, 3);
  });

  it("comes in the language of the page", async () => {
    const page = await post(pathOf("german"), [["act", "delete"]], "de");
    assert.match(page.text, /Sehen Sie in Ihr Postfach/);
    const [mail] = await mailedLinks(app, addressOf("german"), 1);
    assert.equal(mail?.subject, "Ihre Daten bei Fernhill Books löschen");
  });
});

describe("a link to be deleted", () => {
  it("asks first, then forgets the person everywhere, once", async () => {
    const path = await freshLink("delete", "delete");
    assert.match((await get(path)).text, /Delete everything about you\?/);
    assert.equal((await rowsOf("delete")).length, 3, "a GET deletes nothing");
    assert.match((await post(path, [])).text, /Everything is deleted/);
    assert.equal((await rowsOf("delete")).length, 0);
    const left = await app.db.one<{ reason: string }>(sql`
      select s.reason from suppressions s order by s.created_at desc, s.id desc limit 1`);
    assert.equal(left.reason, "erased");
    assert.equal((await post(path, [])).status, 410, "the link went along");
    assert.match((await get(pathOf("delete"))).text, /There is nothing here/);
  });

  it("acts once when it is pressed twice at once", async () => {
    const path = await freshLink("race", "delete");
    const answers = await Promise.all([post(path, []), post(path, []), post(path, [])]);
    const done = answers.filter(({ text }) => /Everything is deleted/.test(text));
    assert.equal(done.length, 1, answers.map(({ status }) => status).join());
    assert.equal((await rowsOf("race")).length, 0);
  });
});

describe("a change of address", () => {
  const moved = "new.home@elsewhere.example";

  it("is confirmed at the new address, told to the old one, and takes everything along", async () => {
    const page = (await get(pathOf("move"))).text;
    await post(
      pathOf("move"),
      filled(
        page,
        [letter, club],
        [
          ["pause", "90"],
          ["tracking", "yes"],
        ],
      ),
    );
    const path = await freshLink("move", "address");
    const asked = await post(path, [["email", `  ${moved} `]]);
    assert.match(asked.text, /Confirm at the new address/);
    assert.equal((await rowsOf("move")).length, 3, "nothing changes before");
    const [toNew] = await mailedLinks(app, moved, 1);
    assert.match(toNew?.text ?? "", /m…@people\.example/);
    assert.doesNotMatch(toNew?.text ?? "", /move@people/);
    const confirm = toNew?.path ?? "";
    assert.match((await get(confirm)).text, /Is this your address\?/);
    assert.equal((await rowsOf("move")).length, 3, "a GET changes nothing");
    assert.match((await post(confirm, [])).text, /Your address is changed/);
    assert.equal((await rowsOf("move")).length, 0);
    const rows = await app.db.many<{ status: string; paused: boolean; on: boolean }>(sql`
      select s.status, exists (select from contact_pauses p where p.contact_id = s.contact_id) as paused,
        (select is_on from topic_choices c where c.contact_id = s.contact_id) as on
      from subscribers s where s.email = ${moved}`);
    assert.deepEqual(rows, Array(3).fill({ status: "active", paused: true, on: false }));
    const old = await mailedLinks(app, addressOf("move"), 2);
    assert.equal(old.at(-1)?.subject, "Your address at Fernhill Books was changed");
    assert.doesNotMatch(old.at(-1)?.text ?? "", /new\.home@/);
    for (const used of [path, confirm]) assert.equal((await post(used, [["email", moved]])).status, 410);
  });

  it("leaves the old address where the new one is on the list already", async () => {
    const known = "known@elsewhere.example";
    await addSubscriber(app, letter, known);
    const path = await freshLink("taken", "address");
    await post(path, [["email", known]]);
    const [mail] = await mailedLinks(app, known, 1);
    assert.equal((await post(mail?.path ?? "", [])).status, 200);
    assert.deepEqual(await statusesOf("taken"), { "The weekly letter": "unsubscribed" });
    const there = await app.db.many(sql`select from subscribers where email = ${known}`);
    assert.equal(there.length, 3);
  });

  it("keeps the old address where the new one had left the list, so that the letter comes to one of them", async () => {
    const left = "left@elsewhere.example";
    const { id } = await addSubscriber(app, letter, left);
    assert.ok((await app.api("POST", `/v1/subscribers/${id}/unsubscribe`)).status < 300);
    const path = await freshLink("keeper", "address");
    await post(path, [["email", left]]);
    const [mail] = await mailedLinks(app, left, 1);
    assert.equal((await post(mail?.path ?? "", [])).status, 200);
    assert.deepEqual(await statusesOf("keeper"), { "The weekly letter": "active" });
  });

  it("refuses what is no address, CR and LF among it, and stays good", async () => {
    const path = await freshLink("hostile", "address");
    for (const email of [
      "",
      "nobody",
      "a@b.example\r\nBcc: c@d.example",
      addressOf("hostile"),
      "a@b, c@d.example",
    ]) {
      const page = await post(path, [["email", email]]);
      assert.equal(page.status, 422, JSON.stringify(email));
      assert.match(page.text, /isn’t an e-mail address that we can write to/);
    }
    assert.equal((await post(path, [["email", "fine@elsewhere.example"]])).status, 200);
  });

  it("sends a stranger no more than three mails an hour, whoever asks", async () => {
    const victim = "victim@elsewhere.example";
    for (const name of ["stale", "pause", "track", "stop"]) {
      const path = await freshLink(name, "address");
      assert.equal((await post(path, [["email", victim]])).status, 200);
    }
    const links = await app.db.many(sql`select from preference_links where kind = 'new_address'
      and to_hash = (select to_hash from preference_links where kind = 'new_address' group by to_hash order by count(*) desc limit 1)`);
    assert.equal(links.length, 3);
  });
});
