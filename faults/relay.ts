/** Lets a relay misbehave in every way, and checks what the log and the ledger say of each recipient afterwards. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { pauseSource, resumeSource } from "../src/delivery/delivery.ts";
import { sql } from "../src/platform/db/db.ts";
import { nowMs } from "../test/support/sink/log.ts";
import type { Rule } from "../test/support/sink/sink.ts";
import { atMost, exactly, type Fault, type Setting } from "./fault.ts";
import { judge, mostAtOnce } from "./judge.ts";
import { type Case, cases, withDigit } from "./relay-cases.ts";
import { type Campaign, createTestbed, reportCounts, type Testbed } from "./testbed.ts";

export const relayFault: Fault = {
  name: "relay",
  summary: "a relay that hangs up, defers, refuses, refuses us, is slow, or all of it by chance",
  async *run(setting) {
    const times = setting.full ? 5 : 1;
    for (const one of cases) yield* sendBadly(setting, one, { people: one.lines ? 30 : 300 * times });
    yield* sendByChance(setting, { people: 10_000 * times });
    yield* tarpit(setting, { people: 2_000 * times });
    yield* pauseBeforeBody(setting);
  },
};

const QUIET_MS = 60_000;

export async function* sendBadly(
  setting: Setting,
  one: Case,
  sizes: { readonly people: number },
): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    await testbed.sink.misbehave(one.rules, setting.seed);
    const campaign = await testbed.launch(sizes.people, {
      onAmbiguous: one.onAmbiguous ?? "resend",
      revision: { subject: one.name, lines: one.lines },
    });
    await testbed.startSender(one.sender);
    if (one.pauses) yield* beRefused(testbed, one, campaign);
    const hasEnded = await testbed.ends(campaign, QUIET_MS);
    setting.note(`${one.name}: ${hasEnded ? "ended" : "did not end"}`);
    const wrong = await findWrong(testbed, one, campaign);
    if (!hasEnded) wrong.unshift("the campaign didn't end");
    yield exactly(
      `${one.name}: recipients with another end`,
      wrong.length,
      0,
      "recipients",
      wrong.slice(0, 8),
    );
    yield* reportCounts(one.name, testbed);
  } finally {
    await testbed.stop();
  }
}

async function* beRefused(testbed: Testbed, one: Case, campaign: Campaign): AsyncIterable<Result> {
  await testbed.pauses(campaign, 30_000);
  const { state, reason } = await testbed.stateOf(campaign);
  const isPaused = state === "paused" && reason === "transport_rejected";
  yield exactly(`${one.name}: paused`, Number(isPaused), 1, "campaign", [`${state}, ${reason}`]);
  const blamed = [...(await testbed.whoIs(campaign, "failed")), ...(await readSuppressed(testbed))];
  yield exactly(
    `${one.name}: failed or suppressed by it`,
    blamed.length,
    0,
    "recipients",
    blamed.slice(0, 5),
  );
  await testbed.sink.misbehave([]);
  // A person takes longer to resume than messages that were still under way.
  await sleep(2_000);
  if (state === "paused") await testbed.bench.ctx((ctx) => resumeSource(ctx, campaign.id));
}

/** Compares each recipient's copies in the log, and what the ledger says, with what the case demands. */
async function findWrong(testbed: Testbed, one: Case, { people, ...campaign }: Campaign): Promise<string[]> {
  const { bodies, faults } = await testbed.sink.log();
  const copies = Map.groupBy(
    bodies.filter(({ taken }) => taken),
    ({ to }) => to,
  );
  const has = (digits: string | undefined, to: string) =>
    digits !== undefined && RegExp(withDigit(digits)).test(to);
  const saysOf = async (status: "failed" | "unknown" | "sent") =>
    new Set(await testbed.whoIs({ people, ...campaign }, status));
  const said = {
    failed: await saysOf("failed"),
    unknown: await saysOf("unknown"),
    sent: await saysOf("sent"),
  };
  const suppressed = new Set(await readSuppressed(testbed));
  const differs = people.flatMap((to) => {
    const status = has(one.failed, to) ? "failed" : has(one.unknown, to) ? "unknown" : "sent";
    const got = copies.get(to) ?? [];
    const most = has(one.doubled, to) ? 2 : 1;
    const wanted = status === "sent" ? got.length === most : got.length <= (status === "failed" ? 0 : 1);
    const same = new Set(got.map(({ messageId, hash }) => `${messageId} ${hash}`)).size <= 1;
    const ledger = Object.entries(said).find(([, who]) => who.has(to))?.[0] ?? "something else";
    const isRight = wanted && same && ledger === status && suppressed.has(to) === has(one.suppressed, to);
    return isRight
      ? []
      : [`${to}: got ${got.length}${same ? "" : ", unlike"}, ${ledger}, suppressed ${suppressed.has(to)}`];
  });
  return [...faults, ...differs];
}

async function readSuppressed({ bench }: Testbed): Promise<string[]> {
  const rows = await bench.db.many<{ email: string }>(sql`
    select s.email from suppressions x
    join subscribers s on s.account_id = x.account_id and s.contact_id = x.contact_id
    where x.account_id = ${bench.accountId}`);
  return rows.map(({ email }) => email);
}

/** Applies all kinds of misbehaviour at random at once. */
export async function* sendByChance(
  setting: Setting,
  sizes: { readonly people: number },
): AsyncIterable<Result> {
  const testbed = await createTestbed();
  const rules: Rule[] = [
    { at: "connect", reply: "421 4.3.2 busy", chance: 0.2 },
    { at: "ehlo", drop: "not taken", chance: 0.1 },
    { at: "mail", reply: "451 4.3.0 later", chance: 0.02 },
    { at: "rcpt", reply: "450 4.2.0 later", chance: 0.1 },
    { at: "rcpt", reply: "421 4.3.2 closing", chance: 0.01 },
    { at: "data", reply: "451 4.3.0 later", chance: 0.02 },
    { at: "data", drop: "not taken", chance: 0.01 },
    { at: "body", drop: "not taken", chance: 0.01 },
    { at: "dot", drop: "taken", chance: 0.02 },
    { at: "dot", drop: "not taken", chance: 0.02 },
    { at: "dot", reply: "451 4.3.0 later", chance: 0.03 },
    // The delay makes many messages due again while those behind them still wait for their first attempt.
    { at: "dot", delayMs: 25 },
  ];
  try {
    await testbed.sink.misbehave(rules, setting.seed);
    const campaign = await testbed.launch(sizes.people);
    await Promise.all([1, 2].map(() => testbed.startSender({ firstRetryMs: 200 })));
    const hasEnded = await testbed.ends(campaign, QUIET_MS);
    const verdict = judge(await testbed.sink.log(), campaign.people, []);
    const failed = await testbed.whoIs(campaign, "failed");
    const name = "all of it by chance";
    yield exactly(`${name}: ended`, Number(hasEnded), 1, "campaign", [`${verdict.connections} connections`]);
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: failed`, failed.length, 0, "recipients", failed.slice(0, 5));
    yield exactly(`${name}: duplicates of what was replied to`, verdict.unexcused.length, 0, "messages", [
      `${verdict.duplicates} duplicates of what was taken without a word`,
      ...verdict.unexcused.slice(0, 5),
    ]);
    yield exactly(`${name}: duplicates that differ`, verdict.altered.length, 0, "messages");
    yield exactly(
      `${name}: breaches of SMTP`,
      verdict.faults.length,
      0,
      "commands",
      verdict.faults.slice(0, 5),
    );
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}

const CONNECTIONS = 8;

/** Sends half of the mail to one domain whose every RCPT takes long. */
export async function* tarpit(
  setting: Setting,
  sizes: { readonly people: number; readonly delayMs?: number },
): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    const delayMs = sizes.delayMs ?? 200;
    await testbed.sink.misbehave(
      [
        { at: "rcpt", delayMs, to: "@slow" },
        { at: "dot", delayMs: 2 },
      ],
      setting.seed,
    );
    const people = Array.from({ length: sizes.people }, (_, n) =>
      n % 2 === 0 ? `person${n}@slow.example` : `person${n}@quick${n % 17}.example`,
    );
    const campaign = await testbed.launch(people);
    await testbed.startSender({ connections: CONNECTIONS });
    const quick = people.filter((to) => !to.includes("@slow"));
    await testbed.ends(campaign, QUIET_MS);
    const log = await testbed.sink.log();
    const verdict = judge(log, people, []);
    const others = log.bodies.filter(({ to }) => !to.includes("@slow"));
    // Until this time more messages waited than there are connections, so no connection was idle for lack of
    // messages.
    const begunMs = others.map(({ rcptMs }) => rcptMs).sort((a, b) => a - b);
    const othersUntilMs = begunMs.at(-1 - CONNECTIONS) ?? 0;
    const meanwhile = log.bodies.filter(({ to, rcptMs }) => to.includes("@slow") && rcptMs < othersUntilMs);
    const tookMs = (begunMs.at(-1) ?? 0) - (begunMs[0] ?? 0);
    const name = "tarpit";
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: duplicates`, verdict.duplicates, 0, "messages");
    yield atMost(
      `${name}: connections held while others wait`,
      mostAtOnce(meanwhile),
      CONNECTIONS / 4,
      "connections",
      [
        `${quick.length} others took ${Math.round(tookMs)} ms; ${meanwhile.length} of the slow were begun by then`,
      ],
    );
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}

/** Pauses a campaign when its envelope has been sent and 354 hasn't come yet. */
export async function* pauseBeforeBody(setting: Setting): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    await testbed.sink.misbehave([{ at: "data", delayMs: 1_500 }], setting.seed);
    const campaign = await testbed.launch(200);
    await testbed.startSender({ connections: CONNECTIONS });
    await testbed.sink.until("DATA", ({ data }) => data >= CONNECTIONS);
    await testbed.bench.ctx((ctx) => pauseSource(ctx, campaign.id));
    const pausedMs = nowMs();
    await sleep(2_500);
    const { bodies } = await testbed.sink.log();
    await testbed.sink.misbehave([]);
    await testbed.bench.ctx((ctx) => resumeSource(ctx, campaign.id));
    await testbed.ends(campaign, QUIET_MS);
    const verdict = judge(await testbed.sink.log(), campaign.people, []);
    const late = bodies.filter(({ begunMs }) => begunMs > pausedMs + 200);
    const name = "paused before a slow 354";
    yield exactly(`${name}: bodies begun after it`, late.length, 0, "bodies", [`${bodies.length} before it`]);
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: duplicates`, verdict.duplicates, 0, "messages");
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}
