/** The automations of the guide, and the example of the format, are what they say: without a fault, and led as described. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { readMarkdown } from "../../tools/markdown.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");

const guide = read("guides/automations.md");
const names = [...guide.matchAll(/^## (.+)$/gm)].map(([, name]) => name as string);
const drafts = blocksOf(guide);

function blocksOf(page: string): readonly string[] {
  return readMarkdown(page)
    .code.filter(({ language }) => language === "json")
    .map(({ text }) => text);
}

let app: TestApp;
let listId: string;
let segmentId: string;
before(async () => {
  app = await createApp();
  listId = await makeFixture(app, app.key, "lst");
  segmentId = await makeFixture(app, app.key, "seg");
  for (const key of ["birthday", "customer_since", "trial_ends_on"])
    assert.equal((await app.api("POST", "/v1/fields", { body: { key, type: "date" } })).status, 201);
});
after(() => app.stop());

async function make(name: string, text: string): Promise<{ id: string; faults: unknown[] }> {
  const draft = JSON.parse(text.replaceAll("seg_…", segmentId));
  const reply = await app.api("POST", "/v1/automations", { body: { name, list_id: listId, draft } });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

async function simulate(name: string, input: object): Promise<string> {
  const { id } = await make(name, drafts[names.indexOf(name)] ?? assert.fail(`the guide has no ${name}`));
  const body = { from: "2026-11-17T10:00:00Z", ...input };
  const reply = await app.api("POST", `/v1/automations/${id}/simulate`, { body });
  assert.equal(reply.status, 200, reply.text);
  const steps = reply.body.path.map((visit: { node: string }) => visit.node);
  return [...steps, `(${reply.body.end.as})`].join(" ");
}

const person = { first_name: "Ada", time_zone: "Europe/Berlin" };
const event = (name: string, at: string) => ({ type: "event", name, at });
const click = (node: string, at: string) => ({ type: "email_clicked", node, at });

describe("the guide", () => {
  it("has eight automations, each with a draft", () => {
    assert.equal(names.length, 8);
    assert.equal(drafts.length, 8);
  });

  for (const [at, name] of names.entries())
    it(`has no fault in "${name}"`, async () => {
      assert.deepEqual((await make(name, drafts[at] as string)).faults, []);
    });

  for (const [at, name] of names.entries())
    it(`has "${name}" as it can be started`, async () => {
      const { id } = await make(name, drafts[at] as string);
      const started = await app.api("POST", `/v1/automations/${id}/start`, { body: {} });
      assert.equal(started.status, 200, started.text);
      assert.equal(started.body.status, "live");
    });

  it("leads people as it says", async () => {
    assert.equal(await simulate("Welcome", { person }), "hello two_days more end (completed)");
    assert.equal(await simulate("Anniversary", { person }), "(not_entered)");
    assert.equal(
      await simulate("Anniversary", { person: { ...person, tags: ["customer"] } }),
      "thanks end (completed)",
    );
    const ordered = [event("order.placed", "2026-11-17T13:59:00Z")];
    assert.equal(await simulate("Abandoned cart", { person, events: ordered }), "four_hours (goal)");
    const reviewed = [event("review.written", "2026-12-01T10:00:00Z")];
    const afterPurchase = await simulate("After a purchase", { person, events: reviewed });
    assert.match(afterPurchase, /^one_week who (review )?reviewed written end \(completed\)$/);
    const quiet = "Re-engagement, then sunset";
    assert.equal(await simulate(quiet, { person }), "ask answer last answer_last sunset (unsubscribed)");
    assert.equal(
      await simulate(quiet, { person, events: [click("ask", "2026-11-20T10:00:00Z")] }),
      "ask answer stays end (completed)",
    );
    assert.equal(
      await simulate("Trial ending", { person: { ...person, fields: { trial_ends_on: "2026-11-20" } } }),
      "soon last_day today end (completed)",
    );
  });
});

describe("the format", () => {
  const format = read("automation-format.md");

  it("has an example without a fault", async () => {
    const [example] = blocksOf(format);
    assert.deepEqual((await make("Example", example as string)).faults, []);
  });

  it("names every step and every trigger that there is", async () => {
    const strange = { format: 1, start: "a", entry: { on: [{ type: "?" }] }, nodes: { a: { type: "?" } } };
    const { faults } = await make("Strange", JSON.stringify(strange));
    const known = (faults as { detail: string }[]).flatMap(({ detail }) =>
      detail.startsWith("must be one of ") ? detail.slice("must be one of ".length).split(", ") : [],
    );
    assert.ok(known.length > 20, "both lists are told");
    assert.deepEqual(
      known.filter((type) => !format.includes(`\`${type}\``)),
      [],
    );
  });
});
