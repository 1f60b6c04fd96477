/** Is a recipient's mail nothing but a few values between pieces that were made once? */
import { type Piece, prepareContent, renderValues, startContentWorkers } from "../../src/content/content.ts";
import type { Bench, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure, type Work } from "../harness/meter.ts";
import { createReference } from "../reference/liquidjs-mailcomposer.ts";
import { makeRecipient, ourNewsletter, referenceNewsletter, referenceScope } from "./newsletter.ts";

const ASKED = 20;
const RECIPIENTS = 1_000;
/** How often the clock is read. */
const CHUNK = 20;

export const contentBench: Bench = {
  name: "content",
  summary: "a recipient's mail from a compiled newsletter against LiquidJS and nodemailer's MailComposer",
  async *run(setting) {
    const recipients = Array.from({ length: RECIPIENTS }, (_, number) => makeRecipient(number));
    const ours = await makeOurs();
    const compose = createReference(referenceNewsletter());
    const scopes = recipients.map(referenceScope);
    const contest: Contest = {
      name: "render one recipient",
      unit: "recipient",
      asked: ASKED,
      ours: () => timed(setting, async (at) => ours(recipients[at] as (typeof recipients)[number])),
      reference: () =>
        timed(setting, async (at) => (await compose(scopes[at] as (typeof scopes)[number])).length),
    };
    await contest.ours();
    await contest.reference();
    yield judgeContest(contest, await runInTurns(contest, setting));
  },
};

/** The mail's characters: joined, but not yet encoded. */
async function makeOurs() {
  const limits = { threads: 1, compileTimeoutMs: 60_000, renderTimeoutMs: 60_000, memoryMb: 256 };
  const workers = startContentWorkers(limits);
  const result = await workers.compile(ourNewsletter());
  await workers.close();
  if (!result.ok) throw new Error(result.faults[0]?.detail);
  const { compiled } = result;
  const prepared = prepareContent(compiled);
  const parts = [compiled.subject, compiled.html ?? [], compiled.text];
  return (recipient: Parameters<typeof renderValues>[1]): number => {
    const rendered = renderValues(prepared, recipient);
    if (!rendered.ok) throw new Error(rendered.fault.detail);
    let length = 0;
    for (const part of parts) length += join(part, rendered.values).length;
    return length;
  };
}

function join(pieces: readonly Piece[], values: readonly string[]): Buffer {
  let text = "";
  for (const piece of pieces) text += typeof piece === "string" ? piece : values[piece.slot];
  return Buffer.from(text);
}

function timed({ postgres, sizes }: Setting, one: (at: number) => Promise<number>) {
  return measure(postgres, process.pid, async (): Promise<Work> => {
    const start = performance.now();
    const end = start + sizes.seconds * 1_000;
    let units = 0;
    let characters = 0;
    while (performance.now() < end) {
      for (let step = 0; step < CHUNK; step++) characters += await one(units++ % RECIPIENTS);
    }
    if (characters === 0) throw new Error("nothing was made");
    return { units, seconds: (performance.now() - start) / 1_000 };
  });
}
