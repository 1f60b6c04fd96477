/**
 * Runs the whole program with the sender's role, as people do, and compares it with what the receiving server has
 * seen.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../test/support/app.ts";
import { act, makeCampaign, readCampaign } from "../test/support/campaigns.ts";
import { makeInstallation } from "../test/support/process.ts";
import { createRandom, startSink } from "../test/support/sink/sink.ts";
import { makeList } from "../test/support/subscribers.ts";
import { exactly, type Setting } from "./fault.ts";
import { judge } from "./judge.ts";
import { comes } from "./testbed.ts";

const SECRET_KEY = "a secret key for tests of 32 characters or more";
const A_BATCH = 1_000;

/** Ends a process with `ROLES=sender` by SIGTERM while it sends, again and again; the rest of the program stays. */
export async function* terminateProgram(
  setting: Setting,
  sizes: { readonly people: number; readonly times: number },
): AsyncIterable<Result> {
  const random = createRandom(setting.seed);
  const installation = makeInstallation();
  const sink = await startSink();
  const smtpUrl = `smtp://127.0.0.1:${sink.port}?connections=8`;
  const app = await createApp({
    settings: { ROLES: "api,jobs", SECRET_KEY, SMTP_URL: smtpUrl },
    served: WITH_UNSUBSCRIBE,
    logLevel: "silent",
  });
  try {
    await sink.misbehave([{ at: "dot", delayMs: 20 }], setting.seed);
    const people = Array.from({ length: sizes.people }, (_, n) => `person${n}@p${n % 10}.example`);
    const id = await launch(app, people);
    const env = {
      ROLES: "sender",
      DATABASE_URL: app.databaseUrl,
      SECRET_KEY,
      SMTP_URL: smtpUrl,
    };
    const codes: (number | null)[] = [];
    for (let n = 0; n < sizes.times; n++) {
      const { begun } = await sink.count();
      const program = installation.start({ via: "node", env });
      await sink.until("a body", (now) => now.begun > begun + 5);
      await sleep(random() * 400);
      const ended = await program.stop();
      codes.push(ended.code);
      setting.note(`the program ended with ${ended.code}`);
    }
    const { taken } = await sink.count();
    await sink.misbehave([]);
    const last = installation.start({ via: "node", env });
    await comes(sink, async () => (await readCampaign(app, id))["status"] === "sent", 60_000);
    await last.stop();
    const named = await app.api("GET", `/v1/campaigns/${id}/recipients?status=unknown`);
    const verdict = judge(await sink.log(), people, []);
    const name = `the program, SIGTERM ${sizes.times} times`;
    yield exactly(`${name}: ended cleanly`, codes.filter((code) => code === 0).length, sizes.times, "times", [
      `${taken} of ${sizes.people} were sent by then`,
    ]);
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: duplicates`, verdict.duplicates, 0, "messages", verdict.unexcused.slice(0, 5));
    yield exactly(`${name}: unknown`, named.body.data.length, 0, "recipients");
  } finally {
    await installation.clear();
    await sink.stop();
    await app.stop();
  }
}

async function launch(app: TestApp, people: readonly string[]): Promise<string> {
  const listId = await makeList(app, { postal_address: "1 High SharedInstance, London N1 1AA" });
  for (let from = 0; from < people.length; from += A_BATCH) {
    const subscribers = people.slice(from, from + A_BATCH).map((email) => ({ email, list_id: listId }));
    const added = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    assert.equal(added.status, 200, added.text);
  }
  const { id } = await makeCampaign(app, listId, { from_email: "news@acme.example", on_ambiguous: "hold" });
  const sent = await act(app, id, "send");
  assert.ok(sent.status < 300, sent.text);
  return id;
}
