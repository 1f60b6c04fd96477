/** What wrong second factors and used recovery codes leave behind: rows of the audit log, and mail to the person. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson, joinAs, openBrowser, type Person, signIn } from "../support/people.ts";
import { addApp, type TestFactor } from "../support/second-factors.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let other: { accountId: string; key: string };
let ada: Person;
let idElsewhere: string;
let factor: TestFactor;
before(async () => {
  app = await createApp();
  other = await app.addAccount();
  ada = await addPerson(app, "ada@example.com");
  idElsewhere = (await joinAs(app, ada, other.key)).id;
  factor = await addApp(ada.browser, new Date());
});
after(() => app.stop());

const refusals = async (key = app.key) =>
  (await app.api("GET", "/v1/audit?action=session.factor_refused", { key })).body.data;
async function subjects(key = app.key, to = ada.email): Promise<string[]> {
  const { body } = await app.api("GET", `/v1/sandbox/messages?to=${to}`, { key });
  return body.data.map((mail: { subject: string }) => mail.subject);
}
const wrongCode = () => {
  const good = [-1, 0, 1, 2].map((steps) => factor.code(new Date(), steps));
  return ["000000", "111111", "222222", "333333", "444444"].find((code) => !good.includes(code)) ?? "";
};

describe("a wrong second factor", () => {
  it("stands in the audit log of each account, and the fifth is told to the person by mail", async () => {
    const { reply } = await signIn(app, ada.email);
    assert.equal(reply.status, 202, reply.text);
    const { token } = reply.body;
    const prove = () =>
      openBrowser(app).send("POST", "/v1/session/second_factor", { token, code: wrongCode() });
    const first = await prove();
    assert.equal(first.status, 401);
    await until(async () => (await refusals()).length === 1 && (await refusals(other.key)).length === 1);
    const [row] = await refusals();
    assert.deepEqual([row.actor.kind, row.target_id], ["stranger", ada.id]);
    assert.equal(row.request_id, first.headers.get("x-request-id"));
    assert.equal((await refusals(other.key))[0].target_id, idElsewhere);
    assert.ok(!(await subjects()).includes("A sign-in was stopped at the second factor"));
    for (let i = 0; i < 4; i++) assert.equal((await prove()).status, 401);
    await until(async () => (await refusals()).length === 5);
    for (const key of [app.key, other.key]) {
      await until(async () => (await subjects(key)).includes("A sign-in was stopped at the second factor"));
    }
    assert.doesNotMatch(JSON.stringify(await refusals()), /prf_|@/);
  });

  it("of somebody who confirms is their own", async () => {
    const bea = await addPerson(app, "bea@example.com");
    await addApp(bea.browser, new Date());
    const reply = await bea.browser.send("POST", "/v1/session/confirm", { recovery_code: "wrong" });
    assert.equal(reply.status, 401, reply.text);
    const own = async () =>
      (await refusals()).filter((one: { actor: { id: string } }) => one.actor.id === bea.id);
    await until(async () => (await own()).length === 1);
    assert.equal((await own())[0].target_id, bea.id);
  });
});

it("a used recovery code is told to the person by mail, and stands in the log of events", async () => {
  const cy = await addPerson(app, "cy@example.com");
  const { recoveryCodes } = await addApp(cy.browser, new Date());
  const { reply } = await signIn(app, cy.email);
  const body = { token: reply.body.token, recovery_code: recoveryCodes[0] };
  const done = await openBrowser(app).send("POST", "/v1/session/second_factor", body);
  assert.equal(done.status, 201, done.text);
  await until(async () => (await subjects(app.key, cy.email)).includes("A recovery code was used"));
  const { body: events } = await app.api("GET", "/v1/events?type=user.recovery_code_used");
  assert.deepEqual(events.data[0].data, { user_id: cy.id });
});
