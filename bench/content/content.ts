/** Measures whether making a recipient's mail costs no more than a few values between pieces that were made once. */
import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { HERE, prepareContent, renderValues, startContentWorkers } from "../../src/content/content.ts";
import { compileMessage, joinMessage, type MessageTemplate } from "../../src/mail/mime/mime.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import type { Sample } from "../harness/meter.ts";
import { median, spread } from "../harness/numbers.ts";
import { createReference } from "../reference/liquidjs-mailcomposer.ts";
import {
  from,
  listId,
  makePerson,
  ourNewsletter,
  type Person,
  referenceNewsletter,
  toCopy,
  toRecipient,
  toReferenceCopy,
} from "./newsletter.ts";

const ASKED_RATIO = 20;
const ASKED_CPU_MS = 0.05;
const PEOPLE = 1_000;
/** The number of mails between two looks at the clock. */
const CHUNK = 20;

type Make = (person: Person) => Buffer | Promise<Buffer>;

export const contentBench: Bench = {
  name: "content",
  summary: "a recipient's mail from a compiled newsletter against LiquidJS and nodemailer's MailComposer",
  async *run(setting) {
    const people = Array.from({ length: PEOPLE }, (_, number) => makePerson(number));
    const ours = await makeOurs();
    const compose = createReference(referenceNewsletter());
    const reference: Make = (person) => compose(toReferenceCopy(person));
    for (const person of people.slice(0, CHUNK))
      await compareMails(await ours(person), await reference(person));
    const contest: Contest = {
      name: "make one recipient's message",
      unit: "recipient",
      asked: ASKED_RATIO,
      ours: () => timed(setting, people, ours),
      reference: () => timed(setting, people, reference),
    };
    await contest.ours();
    await contest.reference();
    const samples = await runInTurns(contest, setting);
    yield judgeCpu(samples.ours);
    yield judgeContest(contest, samples);
  },
};

/** Makes a function that turns what a list knows of a person into the bytes that SMTP carries. */
async function makeOurs(): Promise<Make> {
  const limits = { threads: 1, compileTimeoutMs: 60_000, renderTimeoutMs: 60_000, memoryMb: 256 };
  const workers = startContentWorkers(limits);
  const result = await workers.compile(ourNewsletter(), "bench");
  await workers.close();
  if (!result.ok) throw new Error(result.faults[0]?.detail);
  const { compiled } = result;
  const prepared = prepareContent(compiled);
  const unsubscribeSlot = compiled.slots.length;
  const template: MessageTemplate = {
    from,
    subject: compiled.subject,
    headers: [
      { kind: "urls", name: "List-Unsubscribe", value: [[{ slot: unsubscribeSlot }]] },
      { kind: "token", name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
      { kind: "list_id", name: "List-Id", value: { id: listId } },
      { kind: "token", name: "Precedence", value: "bulk" },
    ],
    text: compiled.text,
    html: compiled.html ?? [],
    boundary: "november",
  };
  const message = compileMessage(template);
  return (person) => {
    const recipient = toRecipient(person);
    const rendered = renderValues(prepared, recipient, HERE);
    if (!rendered.ok) throw new Error(rendered.fault.detail);
    return joinMessage(message, toCopy(person, [...rendered.values, recipient.urls.unsubscribe]));
  };
}

/** Asserts that both mails are the same, because a message that is made fast but wrongly counts for nothing. */
async function compareMails(ours: Buffer, reference: Buffer): Promise<void> {
  assert.deepEqual(await readMail(ours), await readMail(reference));
}

async function readMail(raw: Buffer) {
  const { headers, subject, text, html } = await PostalMime.parse(raw);
  const values = headers
    .filter(({ key }) => !key.startsWith("content-"))
    .map(({ key, value }) => `${key}: ${value.replaceAll(/\s+/g, " ")}`);
  return { subject, text: text?.trimEnd(), html: html?.trimEnd(), headers: values.toSorted() };
}

/** Measures in this process alone, so that its processor time is that of the work, garbage collection included. */
async function timed({ sizes }: Setting, people: readonly Person[], make: Make): Promise<Sample> {
  const startedCpu = process.cpuUsage();
  const startedMs = performance.now();
  const untilMs = startedMs + sizes.seconds * 1_000;
  let units = 0;
  let bytes = 0;
  while (performance.now() < untilMs) {
    for (let step = 0; step < CHUNK; step++) {
      const made = make(people[units++ % PEOPLE] as Person);
      bytes += made instanceof Promise ? (await made).length : made.length;
    }
  }
  if (bytes < units * 10_000) throw new Error("the messages are too small");
  const { user, system } = process.cpuUsage(startedCpu);
  return {
    perSecond: units / ((performance.now() - startedMs) / 1_000),
    serverCpuMs: (user + system) / 1_000 / units,
    databaseCpuMs: 0,
    walBytes: 0,
  };
}

function judgeCpu(samples: readonly Sample[]): Result {
  const costs = samples.map(({ serverCpuMs }) => serverCpuMs ?? Number.NaN);
  const ours = median(costs);
  const show = (ms: number) => `${ms.toFixed(4)} ms`;
  return {
    figure: {
      name: "CPU ms to make one recipient's message",
      ours,
      reference: null,
      ratio: null,
      asked: ASKED_CPU_MS,
      ok: ours <= ASKED_CPU_MS,
    },
    unit: "ms",
    headline: `ours ${show(ours)}, asked ≤ ${show(ASKED_CPU_MS)}`,
    details: [`ours      ${spread(costs, show)}, values, MIME and one MAC included`],
  };
}
