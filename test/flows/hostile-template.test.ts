import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

/** This template passes every check, because no sample recipient has this name. */
const boom =
  '{% if first_name == "boom" %}{% assign a = "xxxxxxxx" %}' +
  "{% capture a %}{{ a }}{{ a }}{% endcapture %}".repeat(24) +
  '{% if a contains "y" %}y{% endif %}'.repeat(900) +
  "{% endif %}";
/** This template stays within every memory limit and never ends. */
const endless =
  "{% for a in (1..100000) %}{% for b in (1..100000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}";

describe("a hostile template", () => {
  let app: TestApp;
  before(async () => {
    // One thread sends for both accounts, as in a small installation.
    app = await createApp({ settings: { SENDER_THREADS: "1" } });
  });
  after(() => app.stop());

  /** Returns the same client with the key of another account. */
  function as(key: string): TestApp {
    return { ...app, key, api: (method, path, options) => app.api(method, path, { key, ...options }) };
  }

  async function audience(of: TestApp, people: number, firstName: (n: number) => string): Promise<string> {
    const listId = await makeList(of);
    for (let n = 0; n < people; n++) {
      await addSubscriber(of, listId, `p${n}@${listId.slice(-8)}.example`, { first_name: firstName(n) });
    }
    return listId;
  }

  const statusOf = async (of: TestApp, id: string) => (await readCampaign(of, id)).status;
  const recipients = async (of: TestApp, id: string, status: string) =>
    (await of.api("GET", `/v1/campaigns/${id}/recipients?status=${status}`)).body.data as {
      reason: string;
      reply: { text: string };
    }[];

  test("fails the one recipient it grows for, and keeps neither the others nor another account waiting", async () => {
    const hostile = as((await app.addAccount()).key);
    const badList = await audience(hostile, 20, (n) => (n === 7 ? "boom" : "Ada"));
    const bad = await makeCampaign(hostile, badList, { html: `<p>Hello</p>${boom}` });
    const good = await makeCampaign(app, await audience(app, 20, () => "Ada"), {});
    const started = performance.now();
    assert.equal((await act(hostile, bad.id, "send")).status, 202);
    assert.equal((await act(app, good.id, "send")).status, 202);
    await until(async () => (await statusOf(app, good.id)) === "sent");
    await until(async () => (await statusOf(hostile, bad.id)) === "sent");
    const seconds = (performance.now() - started) / 1_000;
    assert.ok(seconds < 40, `${seconds.toFixed(1)} s; it is about three on an idle machine`);
    assert.equal((await recipients(hostile, bad.id, "sent")).length, 19);
    const [failed, ...others] = await recipients(hostile, bad.id, "failed");
    assert.deepEqual([failed?.reason, others], ["unrenderable", []]);
    assert.match(failed?.reply.text ?? "", /^too_much_memory: /);
    assert.equal((await recipients(app, good.id, "sent")).length, 20);
    assert.ok(!app.logs.some((line) => /stood still|took over/.test(line)));
  });

  test("without end fails its campaign, while another account's that needs the same threads is sent", async () => {
    const hostile = as((await app.addAccount()).key);
    const badList = await audience(hostile, 40, () => "boom");
    const html = `<p>Hello</p>{% if first_name == "boom" %}${endless}{% endif %}`;
    const bad = await makeCampaign(hostile, badList, { html });
    const good = await makeCampaign(app, await audience(app, 40, () => "Ada"), {
      html: "<p>{% for n in (1..3) %}{{ first_name }}{% endfor %}</p>",
    });
    assert.equal((await act(hostile, bad.id, "send")).status, 202);
    await until(async () => (await statusOf(hostile, bad.id)) === "sending");
    assert.equal((await act(app, good.id, "send")).status, 202);
    const started = performance.now();
    await until(async () => (await statusOf(app, good.id)) === "sent");
    const seconds = (performance.now() - started) / 1_000;
    assert.ok(seconds < 30, `${seconds.toFixed(1)} s; it is about five`);
    await until(async () => (await statusOf(hostile, bad.id)) === "failed");
    assert.equal((await recipients(app, good.id, "sent")).length, 40);
    assert.equal((await recipients(hostile, bad.id, "failed")).length, 0, "they are still to be sent");
  });
});
