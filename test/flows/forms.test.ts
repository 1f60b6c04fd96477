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
let network = 0;
/** Each test comes from a network of its own, so that none uses up another's limit. */
const from = () => ({ "x-forwarded-for": `198.51.${Math.floor(network / 250)}.${(network++ % 250) + 1}` });

before(async () => {
  app = await createApp({ settings: { TRUST_PROXY: "1" } });
  listId = await makeList(app, { name: "The weekly letter" });
});
after(() => app.stop());

async function find(email: string, list = listId): Promise<Json | undefined> {
  const found = await app.api(
    "GET",
    `/v1/subscribers/search?email=${encodeURIComponent(email)}&list_id=${list}`,
  );
  assert.equal(found.status, 200, found.text);
  return found.body.data[0];
}
const consentsOf = (id: string) =>
  app.db.many<Json>(
    sql`select action, source, wording, ip, attested from consents where subscriber_id = ${uuidOf("sub", id)} order by id`,
  );
const requestsOf = async (email: string) =>
  (
    await app.db.many(sql`
      select from confirmations c join subscribers s on s.account_id = c.account_id and s.id = c.subscriber_id
      where s.email_key = ${email}`)
  ).length;

test("whoever signs up waits for their confirmation, with the wording, the address and the version kept", async () => {
  const form = await makeForm(app, listId, {
    fields: [{ name: "first_name" }],
    tags: ["shop"],
    texts: { consent: "Ja, schickt mir den Brief.", privacy_url: "https://books.example/privacy" },
    locale: "de",
  });
  const hidden = await hiddenOf(app, form.id);
  const headers = from();
  const sent = await sendForm(
    app,
    form.id,
    { email: " Ada@Example.com ", first_name: "Ada", ...AGREED, ...hidden },
    headers,
  );
  assert.equal(sent.status, 200, sent.text);
  assert.match(sent.text, /Vielen Dank/);
  await untilTaken(app);
  const ada = await find("ada@example.com");
  assert.ok(ada);
  assert.deepEqual(
    [ada["status"], ada["first_name"], ada["tags"], ada["locale"], ada["email"], ada["source"]],
    ["pending", "Ada", ["shop"], "de", "Ada@Example.com", `form ${form.id}`],
  );
  const [consent] = await consentsOf(ada["id"]);
  assert.deepEqual(consent, {
    action: "granted",
    source: `form ${form.id} version 1`,
    wording:
      "Ja, schickt mir den Brief.\nSie bekommen eine Mail, die fragt, ob wirklich Sie es waren.\nDatenschutz: https://books.example/privacy",
    ip: headers["x-forwarded-for"],
    attested: false,
  });
  assert.equal(await requestsOf("ada@example.com"), 1);
});
