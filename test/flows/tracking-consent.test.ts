/** The choice of how much is tracked, and the answers of people about it, from requests and files to exports and the log. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { importFile } from "../support/imports.ts";
import { addSubscriber, eventsSince, type Json, makeList, readSubscriber } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const patch = (path: string, body: Json) => app.api("PATCH", path, { body });

describe("the choice of tracking", () => {
  it("is null for an account until it is made, and can be taken back", async () => {
    assert.equal((await app.api("GET", "/v1/account")).body.tracking, null);
    for (const tracking of ["individual", "consented", "aggregate", "off", null]) {
      const changed = await patch("/v1/account", { tracking });
      assert.equal(changed.body.tracking, tracking, changed.text);
    }
    assert.equal((await patch("/v1/account", { tracking: "some" })).status, 422);
  });

  it("is an account's, unless a list has its own", async () => {
    const id = await makeList(app);
    const changed = await patch(`/v1/lists/${id}`, { tracking: "off" });
    assert.equal(changed.body.tracking, "off", changed.text);
    const stale = await app.api("PATCH", `/v1/lists/${id}`, {
      body: { tracking: null },
      headers: { "if-match": '"other"' },
    });
    assert.equal(stale.status, 412);
    assert.equal((await patch(`/v1/lists/${id}`, { tracking: null })).body.tracking, null);
    assert.equal((await patch(`/v1/lists/${id}`, { tracking: true })).status, 422);
  });
});

describe("an answer about tracking", () => {
  const logOf = async (id: string) => {
    const { data } = (await app.api("GET", `/v1/subscribers/${id}/activity`)).body;
    return data.filter(({ type }: Json) => type.startsWith("consent.tracking"));
  };

  it("is given with a subscriber, and logged with its evidence beside the consent to be mailed", async () => {
    const listId = await makeList(app);
    const made = await addSubscriber(app, listId, "ada@example.com", {
      consent: { wording: "Send me mail." },
      tracking_consent: true,
      tracking_evidence: { source: "form", wording: "See what I read.", ip: "192.0.2.7" },
    });
    assert.equal(made["tracking_consent"], true);
    assert.equal(made["tracking_consent_at"], made["created_at"]);
    assert.equal(made["consent"].wording, "Send me mail.");
    const [entry, ...others] = await logOf(made["id"]);
    assert.deepEqual(others, []);
    assert.equal(entry.type, "consent.tracking_granted");
    const { source, wording, ip, actor } = entry.data;
    assert.deepEqual([source, wording, ip], ["form", "See what I read.", "192.0.2.7"]);
    assert.equal(actor.kind, "api_key");
  });

  it("is changed and cleared by a client, who is told of it each time, and dated anew only when it differs", async () => {
    const { id } = await addSubscriber(app, await makeList(app), "bob@example.com");
    const { cursor } = await eventsSince(app);
    const path = `/v1/subscribers/${id}`;
    const refused = (await patch(path, { tracking_consent: false })).body;
    assert.equal(refused.tracking_consent, false);
    assert.ok(refused.tracking_consent_at);
    const again = (await patch(path, { tracking_consent: false })).body;
    assert.deepEqual(again, refused);
    const agreed = (await patch(path, { tracking_consent: true })).body;
    assert.equal(agreed.tracking_consent, true);
    const cleared = (await patch(path, { tracking_consent: null })).body;
    assert.equal(cleared.tracking_consent, null);
    assert.ok(cleared.tracking_consent_at > agreed.tracking_consent_at, "what is cleared is dated too");
    assert.deepEqual(
      (await logOf(id)).map(({ type }: Json) => type.replace("consent.tracking_", "")).reverse(),
      ["withdrawn", "granted", "cleared"],
    );
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ data }) => data["changed"]),
      [["tracking_consent"], ["tracking_consent"], ["tracking_consent"]],
    );
    const alone = await patch(path, { tracking_evidence: { source: "telephone" } });
    assert.deepEqual([alone.status, alone.body.errors[0].pointer], [422, "/tracking_consent"]);
    assert.equal((await patch(path, { tracking_consent: "yes" })).status, 422);
  });

  it("goes with the address where it was yes, and stays where it was no", async () => {
    const listId = await makeList(app);
    const answers = async (given: boolean, more: Json = {}) => {
      const { id } = await addSubscriber(app, listId, `moving-${given}@example.com`, {
        tracking_consent: given,
      });
      const moved = await patch(`/v1/subscribers/${id}`, {
        email: `moved-${given}${id}@example.com`,
        ...more,
      });
      await app.api("DELETE", `/v1/subscribers/${id}`);
      return moved.body.tracking_consent;
    };
    assert.equal(await answers(true), null);
    assert.equal(await answers(false), false);
    assert.equal(await answers(false, { tracking_consent: true }), true);
  });

  it("comes from a file and goes into one, but no file undoes a refusal", async () => {
    const listId = await makeList(app);
    const yes = await addSubscriber(app, listId, "yes@example.com", { tracking_consent: true });
    const no = await addSubscriber(app, listId, "no@example.com", { tracking_consent: false });
    const unasked = await addSubscriber(app, listId, "unasked@example.com");
    const rows = ["no@example.com,yes", "yes@example.com,no", "unasked@example.com,ja", "new@example.com,0"];
    const file = ["email,Tracking consent", ...rows, "silent@example.com,", "odd@example.com,perhaps"];
    const done = await importFile(app, { list_id: listId, on_conflict: "update" }, file.join("\n"));
    assert.deepEqual([done["counts"].created, done["counts"].updated, done["counts"].failed], [2, 2, 1]);
    const answerOf = async (id: string) => (await readSubscriber(app, id))["tracking_consent"];
    assert.equal(await answerOf(no["id"]), false);
    assert.equal(await answerOf(yes["id"]), false);
    assert.equal(await answerOf(unasked["id"]), true);
    const [entry] = await logOf(yes["id"]);
    assert.deepEqual([entry.type, entry.data.source], ["consent.tracking_withdrawn", done["id"]]);
    const made = await app.api("POST", "/v1/exports", { body: { list_id: listId } });
    const csv = await (await fetch(made.body.download_url)).text();
    const [headings = "", ...lines] = csv.trim().split("\r\n");
    const at = headings.split(",").indexOf("tracking_consent");
    const exported = Object.fromEntries(
      lines.map((line) => [line.split("@")[0], line.split(",")[at]] as const),
    );
    assert.deepEqual(exported, { yes: "false", no: "false", unasked: "true", new: "false", silent: "" });
  });

  it("is asked for by segments", async () => {
    const listId = await makeList(app);
    await addSubscriber(app, listId, "with@example.com", { tracking_consent: true });
    await addSubscriber(app, listId, "without@example.com", { tracking_consent: false });
    await addSubscriber(app, listId, "unasked@example.com");
    const preview = async (rules: Json) =>
      (await app.api("POST", "/v1/segments/preview", { body: { list_id: listId, rules } })).body;
    const agreed = await preview({ field: "tracking_consent", op: "is", value: true });
    assert.deepEqual([agreed.count, agreed.sentence], [1, "The consent to tracking is true."]);
    assert.equal((await preview({ field: "tracking_consent", op: "is_not_set" })).count, 1);
    assert.equal((await preview({ field: "tracking_consent_at", op: "in_last_days", value: 1 })).count, 2);
  });
});
