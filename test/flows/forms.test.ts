/** People sign up by forms: what is taken, what is recorded, and what nobody learns from it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { hiddenOf, makeForm, sendForm, solve, untilTaken } from "../support/forms.ts";
import { act, addSubscriber, type Json, makeList, suppress, uuidOf } from "../support/subscribers.ts";

const AGREED = { "agree-to-mail": "yes" };
let app: TestApp;
let listId: string;
let networks = 0;
/** Each test comes from a network of its own, so that none uses up another's limit. */
const from = () => ({ "x-forwarded-for": `198.51.${Math.floor(networks / 250)}.${(networks++ % 250) + 1}` });

before(async () => {
  app = await createApp({ settings: { TRUST_PROXY: "1" } });
  listId = await makeList(app, { name: "The weekly letter" });
});
after(() => app.stop());

async function find(email: string, list = listId): Promise<Json | undefined> {
  const query = new URLSearchParams({ email, list_id: list });
  const found = await app.api("GET", `/v1/subscribers/search?${query}`);
  assert.equal(found.status, 200, found.text);
  return found.body.data[0];
}
const consentsOf = (id: string) =>
  app.db.many<Json>(sql`
    select action, source, wording, ip, attested, given_at from consents where subscriber_id = ${uuidOf("sub", id)} order by id`);
const requestsTo = async (email: string) =>
  (
    await app.db.many(sql`
      select from confirmations c join subscribers s on s.account_id = c.account_id and s.id = c.subscriber_id
      where s.email_key = ${email}`)
  ).length;
const waiting = async () => (await app.db.many(sql`select from form_submissions`)).length;

describe("whoever signs up", () => {
  test("waits to be confirmed, with the wording, the address and the version kept", async () => {
    const form = await makeForm(app, listId, {
      fields: [{ name: "first_name" }],
      tags: ["shop"],
      texts: { consent: "Ja, schickt mir den Brief.", privacy_url: "https://books.example/privacy" },
      locale: "de",
    });
    const headers = from();
    const shown = await hiddenOf(app, form.id);
    // The form changes after it was shown, and before it is sent.
    await app.api("PATCH", `/v1/forms/${form.id}`, { body: { texts: { consent: "Etwas anderes." } } });
    const values = { email: " Ada@Example.com ", first_name: "Ada", ...AGREED, ...shown };
    const sent = await sendForm(app, form.id, values, headers);
    assert.equal(sent.status, 200, sent.text);
    assert.match(sent.text, /Vielen Dank/);
    assert.equal(sent.headers.get("set-cookie"), null);
    await untilTaken(app);
    const ada = await find("ada@example.com");
    assert.ok(ada);
    assert.deepEqual(
      [ada["status"], ada["first_name"], ada["tags"], ada["locale"], ada["email"], ada["source"]],
      ["pending", "Ada", ["shop"], "de", "Ada@Example.com", `form ${form.id}`],
    );
    const [{ given_at: givenAt, ...granted } = {}, ...others] = await consentsOf(ada["id"]);
    assert.deepEqual(
      [granted, others, givenAt instanceof Date],
      [
        {
          action: "granted",
          source: `form ${form.id} version 1`,
          wording:
            "Ja, schickt mir den Brief.\nSie bekommen eine Mail, die fragt, ob wirklich Sie es waren.\nDatenschutz: https://books.example/privacy",
          ip: headers["x-forwarded-for"],
          attested: false,
        },
        [],
        true,
      ],
    );
    assert.equal(await requestsTo("ada@example.com"), 1);
  });

  test("is active at once where the form asks nobody, unless they had left or are suppressed", async () => {
    const form = await makeForm(app, listId, { double_opt_in: false });
    const left = await addSubscriber(app, listId, "left@example.com");
    await act(app, left["id"], "unsubscribe");
    await suppress(app, "manual@example.com", "manual");
    await suppress(app, "bounced@example.com", "hard_bounce");
    for (const name of ["fresh", "left", "manual", "bounced"]) {
      const sent = await sendForm(app, form.id, { email: `${name}@example.com`, ...AGREED }, from());
      assert.equal(sent.status, 200);
    }
    await untilTaken(app);
    const statuses = await Promise.all(
      ["fresh", "left", "manual", "bounced"].map(
        async (name) => (await find(`${name}@example.com`))?.["status"],
      ),
    );
    assert.deepEqual(statuses, ["active", "pending", "pending", "bounced"]);
    assert.deepEqual(
      await Promise.all(["fresh", "left", "manual"].map((name) => requestsTo(`${name}@example.com`))),
      [0, 1, 0],
    );
  });

  test("and waits to be confirmed from elsewhere has this form's wording kept too", async () => {
    const list = await makeList(app, { double_opt_in: true });
    const pending = await addSubscriber(app, list, "waits@example.com");
    // The mail that the API has asked for lies longer back than the ten minutes between two.
    await app.db.execute(sql`
      update confirmations set requested_at = requested_at - interval '1 hour'
      where subscriber_id = ${uuidOf("sub", pending["id"])}`);
    const form = await makeForm(app, list);
    const shown = await hiddenOf(app, form.id);
    const sentAt = Date.now();
    await sendForm(app, form.id, { email: "waits@example.com", ...AGREED, ...shown }, from());
    await untilTaken(app);
    const [, granted] = await consentsOf(pending["id"]);
    assert.equal(granted?.["source"], `form ${form.id} version 1`);
    assert.match(granted?.["wording"], /^Send me A list\./);
    assert.ok(granted?.["given_at"].getTime() >= sentAt, "the time is when it was sent in");
    assert.equal(await requestsTo("waits@example.com"), 2);
  });

  test("by a list that asks everybody is asked, whatever the form says", async () => {
    const strict = await makeList(app, { double_opt_in: true });
    const form = await makeForm(app, strict, { double_opt_in: false });
    await sendForm(app, form.id, { email: "strict@example.com", ...AGREED }, from());
    await untilTaken(app);
    assert.equal((await find("strict@example.com", strict))?.["status"], "pending");
  });

  test("and is there already stays as they are, since anybody may type anybody's address", async () => {
    const form = await makeForm(app, listId, { fields: [{ name: "first_name" }], tags: ["ebook"] });
    await addSubscriber(app, listId, "grace@example.com", { first_name: "Grace" });
    await sendForm(app, form.id, { email: "grace@example.com", first_name: "Rude", ...AGREED }, from());
    await untilTaken(app);
    const grace = await find("grace@example.com");
    assert.deepEqual([grace?.["first_name"], grace?.["tags"], grace?.["status"]], ["Grace", [], "active"]);
    assert.equal(await requestsTo("grace@example.com"), 0);
  });

  test("twice at the same moment is one subscriber, and gets one mail", async () => {
    const form = await makeForm(app, listId);
    const values = { email: "twice@example.com", ...AGREED };
    const headers = from();
    const sent = await Promise.all(Array.from({ length: 8 }, () => sendForm(app, form.id, values, headers)));
    assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([200]));
    await untilTaken(app);
    const rows = await app.db.many(sql`select from subscribers where email_key = 'twice@example.com'`);
    assert.deepEqual([rows.length, await requestsTo("twice@example.com")], [1, 1]);
  });

  test("is asked about tracking by an unticked box where the account wants consent", async () => {
    const tracked = await makeList(app, { tracking: "consented", name: "Tracked" });
    const form = await makeForm(app, tracked, { texts: { tracking: "Record what I read." } });
    const page = await (await fetch(`${app.baseUrl}/f/${form.id}`)).text();
    assert.match(page, /name="agree-to-tracking" value="yes">/);
    const shown = await hiddenOf(app, form.id);
    const send = (email: string, more: Json = {}) =>
      sendForm(app, form.id, { email, ...AGREED, ...shown, ...more }, from());
    await send("yes@example.com", { "agree-to-tracking": "yes" });
    await send("no@example.com");
    await untilTaken(app);
    const [yes, no] = await Promise.all(["yes", "no"].map((name) => find(`${name}@example.com`, tracked)));
    assert.deepEqual([yes?.["tracking_consent"], no?.["tracking_consent"]], [true, false]);
    const [, evidence] = await consentsOf(yes?.["id"]);
    assert.deepEqual(
      [evidence?.["action"], evidence?.["wording"], evidence?.["source"]],
      ["tracking_granted", "Record what I read.", `form ${form.id} version 1`],
    );
  });

  test("gets the topics of the form once it is sure who asked for them, and keeps what was chosen", async () => {
    const topic = (await app.api("POST", "/v1/topics", { body: { name: "Events", default: false } })).body.id;
    const asked = await makeForm(app, listId, { topic_ids: [topic] });
    const open = await makeForm(app, listId, { topic_ids: [topic], double_opt_in: false });
    const other = await makeList(app, { name: "Other" });
    const refused = await addSubscriber(app, other, "refused@example.com");
    const choices = { body: { topics: { [topic]: false } } };
    assert.equal((await app.api("PATCH", `/v1/subscribers/${refused["id"]}/topics`, choices)).status, 200);
    await sendForm(app, asked.id, { email: "unconfirmed@example.com", ...AGREED }, from());
    for (const name of ["refused", "stranger"])
      await sendForm(app, open.id, { email: `${name}@example.com`, ...AGREED }, from());
    await untilTaken(app);
    const rows = await app.db.many<{ email_key: string }>(sql`
      select s.email_key from topic_choices c join subscribers s on s.account_id = c.account_id and s.contact_id = c.contact_id
      where c.topic_id = ${uuidOf("top", topic)} and c.is_on`);
    assert.deepEqual(
      rows.map((row) => row.email_key),
      ["stranger@example.com"],
    );
  });
});

describe("nobody learns", () => {
  test("who is on the list: the answer is the same for all, as a page and as JSON", async () => {
    const form = await makeForm(app, listId);
    await addSubscriber(app, listId, "on@example.com");
    const gone = await addSubscriber(app, listId, "off@example.com");
    await act(app, gone["id"], "unsubscribe");
    await suppress(app, "never@example.com", "complaint");
    const answers = { html: new Set<string>(), json: new Set<string>() };
    for (const email of ["on@example.com", "off@example.com", "never@example.com", "unknown@example.com"]) {
      const page = await sendForm(app, form.id, { email, ...AGREED }, from());
      const names = [...page.headers.keys()].filter((name) => !["date", "x-request-id"].includes(name));
      answers.html.add(`${page.status} ${names} ${page.text}`);
      const json = await sendForm(
        app,
        form.id,
        { email, ...AGREED },
        { ...from(), accept: "application/json" },
      );
      answers.json.add(`${json.status} ${json.text}`);
    }
    assert.deepEqual([answers.html.size, answers.json.size], [1, 1]);
    await untilTaken(app);
    const complained = await find("never@example.com");
    assert.deepEqual([complained?.["status"], await requestsTo("never@example.com")], ["complained", 0]);
  });

  test("an address from a log, or a secret", async () => {
    const form = await makeForm(app, listId);
    await sendForm(app, form.id, { email: "private.person@example.com", ...AGREED }, from());
    await untilTaken(app);
    assert.ok(!app.logs.some((line) => line.includes("private.person")));
  });
});

describe("what is refused", () => {
  test("names each input in the form's language, keeps what was typed, and stores nothing", async () => {
    await app.api("POST", "/v1/fields", { body: { key: "year", type: "number", name: "Year" } });
    const form = await makeForm(app, listId, {
      fields: [
        { name: "first_name", required: true },
        { name: "fields.year", required: false },
      ],
    });
    const values = { email: "priya.nair@posteo", "fields.year": "soon" };
    const page = await sendForm(app, form.id, values, { ...from(), "accept-language": "fr" });
    assert.equal(page.status, 422);
    for (const said of [
      /après « posteo »/,
      /Veuillez remplir/,
      /Veuillez indiquer un nombre/,
      /Veuillez cocher/,
    ])
      assert.match(page.text, said);
    assert.match(page.text, /value="priya\.nair@posteo"/);
    const json = await sendForm(app, form.id, values, { ...from(), accept: "application/json" });
    const { errors } = JSON.parse(json.text);
    assert.deepEqual(
      errors.map(({ pointer, code }: Json) => `${pointer} ${code}`),
      ["/email noTop", "/first_name required", "/fields.year number", "/agree-to-mail agree"],
    );
    assert.equal(await waiting(), 0);
  });

  test("is a control character in any input, and names of a prototype do no harm", async () => {
    await app.api("POST", "/v1/fields", { body: { key: "company", type: "text", name: "Company" } });
    const form = await makeForm(app, listId, {
      fields: [{ name: "first_name" }, { name: "last_name" }, { name: "fields.company" }],
    });
    const good = {
      email: "crlf@example.com",
      first_name: "A",
      last_name: "B",
      "fields.company": "C",
      ...AGREED,
    };
    for (const name of ["email", "first_name", "last_name", "fields.company"] as const) {
      for (const bad of ["a\r\nBcc: x@example.com", "nul\u0000", "esc\u001b[0m", "line\u2028"]) {
        const sent = await sendForm(app, form.id, { ...good, [name]: `${bad}z` }, from());
        assert.equal(sent.status, 422, `${name} ${JSON.stringify(bad)}`);
      }
    }
    assert.equal(await find("crlf@example.com"), undefined);
    const strange = {
      __proto__x: "1",
      constructor: "1",
      toString: "1",
      "fields.__proto__": "1",
      list_id: "lst_x",
    };
    const sent = await sendForm(
      app,
      form.id,
      { ...good, ...strange, redirect_url: "https://evil.example" },
      from(),
    );
    assert.equal(sent.status, 200);
    await untilTaken(app);
    assert.deepEqual((await find("crlf@example.com"))?.["fields"], { company: "C" });
    const json = await fetch(`${app.baseUrl}/f/${form.id}`, {
      method: "POST",
      body: `{"email":"proto@example.com","agree-to-mail":true,"__proto__":{"x":1}}`,
      headers: { "content-type": "application/json", ...from() },
    });
    assert.equal(json.status, 422);
  });

  test("is a body that is too large, has too many inputs, or is no form", async () => {
    const form = await makeForm(app, listId);
    const post = (body: string | Buffer, type: string) =>
      fetch(`${app.baseUrl}/f/${form.id}`, {
        method: "POST",
        body,
        headers: { "content-type": type, ...from() },
      })
        .then(({ status }) => status)
        // A server may close the connection while the rest of the body is still on its way.
        .catch(() => 413);
    const urlencoded = "application/x-www-form-urlencoded";
    assert.deepEqual(
      [
        await post(Buffer.alloc(10 * 1_048_576, "a"), urlencoded),
        await post("a=&".repeat(10_000), urlencoded),
        await post("{", "application/json"),
        await post("[]", "application/json"),
        await post("x", "text/plain"),
        await post("--x\r\nbroken", "multipart/form-data; boundary=x"),
        await post("email=a%40example.com", urlencoded),
      ],
      [413, 400, 400, 400, 415, 400, 422],
    );
    assert.equal(await waiting(), 0);
  });

  test("is what a program filled into the trap: it hears the same, and nothing follows", async () => {
    const form = await makeForm(app, listId);
    const sent = await sendForm(
      app,
      form.id,
      { email: "bot@example.com", "your-fax": "1", ...AGREED },
      from(),
    );
    assert.equal(sent.status, 200);
    assert.equal(await waiting(), 0);
    assert.equal(await find("bot@example.com"), undefined);
  });

  test("is everything where the form is paused, deleted, or its list is gone", async () => {
    const list = await makeList(app);
    const [paused, deleted, listless] = await Promise.all([
      makeForm(app, listId, { status: "paused" }),
      makeForm(app, listId),
      makeForm(app, list),
    ]);
    await app.api("DELETE", `/v1/forms/${deleted?.id}`);
    await app.api("DELETE", `/v1/lists/${list}`);
    const statuses = [];
    for (const form of [paused, deleted, listless]) {
      const headers = from();
      const page = await fetch(`${app.baseUrl}/f/${form?.id}`, { headers });
      const sent = await sendForm(app, form?.id ?? "", { email: "late@example.com", ...AGREED }, headers);
      const script = await fetch(`${app.baseUrl}/f/${form?.id}.js`, { headers });
      statuses.push([page.status, sent.status, script.status]);
    }
    assert.deepEqual(statuses, [
      [410, 410, 410],
      [404, 404, 404],
      [410, 410, 410],
    ]);
    assert.equal(await waiting(), 0);
    const unknown = await fetch(`${app.baseUrl}/f/frm_01k9zq4t3xe8k8y0v6d3m2n1pq`, { headers: from() });
    assert.equal(unknown.status, 404);
  });
});

describe("a flood", () => {
  test("from one network is turned away before the database is asked", async () => {
    const form = await makeForm(app, listId);
    const from64 = (at: number) => ({ "x-forwarded-for": `2001:db8:7:7::${at.toString(16)}` });
    const sent = await Promise.all(
      // All of these are of one customer: every IPv6 network is a /64.
      Array.from({ length: 1_000 }, (_, at) =>
        sendForm(app, form.id, { email: `flood${at}@example.com` }, from64(at)),
      ),
    );
    const counted = Map.groupBy(sent, ({ status }) => status);
    assert.deepEqual([counted.get(422)?.length, counted.get(429)?.length], [60, 940]);
    assert.ok(Number(counted.get(429)?.[0]?.headers.get("retry-after")) > 0);
    const other = await sendForm(app, form.id, { email: "calm@example.com", ...AGREED }, from());
    assert.equal(other.status, 200, "others still sign up");
  });

  test("without proof of work ends sooner, in all processes together, and a proof counts once", async () => {
    const form = await makeForm(app, listId);
    const second = await createApp({ databaseUrl: app.databaseUrl, settings: { TRUST_PROXY: "1" } });
    try {
      const headers = from();
      const send = (at: number, more: Json = {}) =>
        sendForm(
          at % 2 ? app : second,
          form.id,
          { email: `p${at}@example.com`, ...AGREED, ...more },
          headers,
        );
      const proof = await solve(app, form.id);
      const sent: number[] = [];
      for (let at = 0; at < 21; at++) sent.push((await send(at)).status);
      assert.deepEqual([sent.filter((status) => status === 200).length, sent[20]], [20, 429]);
      assert.equal((await send(30, { "proof-of-work": proof })).status, 200);
      assert.equal((await send(31, { "proof-of-work": proof })).status, 429, "used before");
      const foreign = await solve(app, (await makeForm(app, listId)).id);
      assert.equal((await send(32, { "proof-of-work": foreign })).status, 429, "of another form");
      assert.equal((await send(33, { "proof-of-work": "{}" })).status, 429, "nonsense");
    } finally {
      await second.stop();
    }
  });

  test("for one address sends one mail, whoever sends it in", async () => {
    const form = await makeForm(app, listId);
    for (let at = 0; at < 12; at++) {
      const sent = await sendForm(app, form.id, { email: "victim@example.com", ...AGREED }, from());
      assert.equal(sent.status, 200);
    }
    await untilTaken(app);
    assert.equal(await requestsTo("victim@example.com"), 1);
  });
});

test("JSON and multipart are taken, from any origin, without a cookie", async () => {
  const form = await makeForm(app, listId);
  const path = `${app.baseUrl}/f/${form.id}`;
  const preflight = await fetch(path, {
    method: "OPTIONS",
    headers: { origin: "https://blog.example", ...from() },
  });
  assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, "*"]);
  const json = await fetch(path, {
    method: "POST",
    body: JSON.stringify({ email: "json@example.com", "agree-to-mail": true }),
    headers: { "content-type": "application/json", origin: "https://blog.example", ...from() },
  });
  assert.deepEqual([json.status, json.headers.get("access-control-allow-origin")], [200, "*"]);
  const body = new FormData();
  body.set("email", "multipart@example.com");
  body.set("agree-to-mail", "yes");
  body.set("file", new Blob(["x"]), "x.txt");
  const multipart = await fetch(path, { method: "POST", body, headers: from() });
  assert.equal(multipart.status, 200);
  await untilTaken(app);
  const wording = await consentsOf((await find("json@example.com"))?.["id"]);
  assert.deepEqual(
    [wording[0]?.["wording"], wording[0]?.["source"]],
    [null, `form ${form.id}, wording unknown`],
  );
  assert.ok(await find("multipart@example.com"));
});

test("a browser is led to redirect_url, which comes from the form alone", async () => {
  const form = await makeForm(app, listId, { redirect_url: "https://books.example/thanks" });
  const sent = await sendForm(
    app,
    form.id,
    { email: "led@example.com", redirect_url: "https://evil.example", ...AGREED },
    from(),
  );
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "https://books.example/thanks"]);
  const page = await fetch(`${app.baseUrl}/f/${form.id}`, { headers: from() });
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /form-action 'self' https:\/\/books\.example;/);
  assert.match(policy, /frame-ancestors 'none'/);
});

test("an erasure reaches what was sent in and isn't carried out yet", async () => {
  const form = await makeForm(app, listId);
  const forgotten = await addSubscriber(app, listId, "forget@example.com");
  await app.db.execute(sql`
    insert into form_submissions (account_id, id, form_id, address_hash, sealed, created_at)
    select s.account_id, gen_random_uuid(), ${uuidOf("frm", form.id)}, c.address_hash, '\\x00', now()
    from subscribers s join contacts c on c.account_id = s.account_id and c.id = s.contact_id
    where s.id = ${uuidOf("sub", forgotten["id"])}`);
  const done = await app.api("POST", `/v1/subscribers/${forgotten["id"]}/forget`);
  assert.ok(done.status < 300, done.text);
  assert.equal(await waiting(), 0);
});

test("forms are made, listed, changed with another version, and read only by their account", async () => {
  const list = await makeList(app);
  const form = await makeForm(app, list, { texts: { title: "Hello" } });
  assert.deepEqual([form["version"], form["double_opt_in"], form["status"]], [1, true, "active"]);
  assert.deepEqual(form["fields"], [{ name: "email", label: null, required: true }]);
  const read = await app.api("GET", `/v1/forms/${form.id}`);
  const etag = read.headers.get("etag") ?? "";
  const path = `/v1/forms/${form.id}`;
  const changed = await app.api("PATCH", path, {
    body: { texts: { intro: "Read." } },
    headers: { "if-match": etag },
  });
  assert.deepEqual([changed.status, changed.body.version, changed.body.texts.title], [200, 2, "Hello"]);
  const stale = await app.api("PATCH", path, { body: { name: "X" }, headers: { "if-match": etag } });
  assert.equal(stale.status, 412);
  const same = await app.api("PATCH", path, { body: { texts: { intro: "Read." } } });
  assert.equal(same.body.version, 2);
  const listed = await app.api("GET", `/v1/forms?list_id=${list}&include_total=true`);
  assert.deepEqual([listed.body.total, listed.body.data[0].id], [1, form.id]);
  const bad = await app.api("POST", "/v1/forms", {
    body: {
      name: "Bad",
      list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
      fields: [{ name: "fields.nothing" }, { name: "first_name" }, { name: "first_name" }],
      redirect_url: "javascript:alert(1)",
      topic_ids: ["top_01k9zq4t3xe8k8y0v6d3m2n1pq"],
      locale: "no such language",
    },
  });
  assert.deepEqual(bad.body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`).toSorted(), [
    "/fields/0/name not_found",
    "/fields/2/name duplicate",
    "/list_id not_found",
    "/locale invalid_locale",
    "/redirect_url invalid_url",
    "/topic_ids/0 not_found",
  ]);
  const snippet = await app.api("GET", `/v1/forms/${form.id}/snippet?locale=de`);
  assert.match(snippet.body.html, /<form class="postrider-form" method="post" action="http[^"]+\/f\/frm_/);
  assert.match(snippet.body.html, /Anmelden/);
  const preview = await app.api("POST", `/v1/forms/${form.id}/preview`, {
    body: { texts: { title: "Another" } },
  });
  assert.match(preview.body.html, /<h1><bdi>Another/);
  const other = await app.addAccount();
  for (const [method, at] of [
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["GET", "/snippet"],
    ["POST", "/preview"],
  ] as const) {
    const body = method === "PATCH" ? { name: "Mine" } : undefined;
    const foreign = await app.api(method, `${path}${at}`, { key: other.key, ...(body && { body }) });
    assert.equal(foreign.status, 404, `${method} ${at}`);
  }
});
