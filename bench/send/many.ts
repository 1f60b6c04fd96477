/** Compares two sender processes with one, at a server that takes its time. */
import type { Result, Setting } from "../harness/bench.ts";
import { judgeRates } from "../harness/compare.ts";
import { rate } from "../harness/numbers.ts";
import { type OwnSink, startOwnSink } from "../mail/sink.ts";
import {
  type Audience,
  type FilledDatabase,
  makeCampaign,
  makeShare,
  type Service,
  sendPipelined,
  startService,
} from "./service.ts";

const CONNECTIONS = 10;
const ACCEPT_AFTER_MS = 5;
const ASKED = 1.8;
const ROUNDS = 3;
/** This share of the list takes one sender ten seconds or more. */
const PERCENT = 20;
/** A sender that has just started is slow until the code that handles each message has been compiled. */
const WARM_UP_PERCENT = 15;

export async function manyFigure({ folder, note }: Setting, database: FilledDatabase): Promise<Result> {
  const sink = await startOwnSink(folder);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: "api,jobs", relay });
  const startSender = () => startService(database, { roles: "sender", relay });
  const first = await startSender();
  const one: number[] = [];
  const two: number[] = [];
  try {
    const warmUp = await makeShare(service, WARM_UP_PERCENT);
    const audience = await makeShare(service, PERCENT);
    await rateOf(service, database, sink, warmUp);
    for (let round = 1; round <= ROUNDS; round++) {
      one.push(await rateOf(service, database, sink, audience));
      const second = await startSender();
      try {
        await rateOf(service, database, sink, warmUp);
        two.push(await rateOf(service, database, sink, audience));
      } finally {
        await second.program.stop();
      }
      note(
        `senders, round ${round} of ${ROUNDS}: one ${rate(one.at(-1) ?? 0)}, two ${rate(two.at(-1) ?? 0)}`,
      );
    }
  } finally {
    await first.program.stop();
    await service.program.stop();
    await sink.stop();
  }
  const name = `two sender processes of ${CONNECTIONS} connections, ${ACCEPT_AFTER_MS} ms a mail, to one`;
  return judgeRates(
    { name, unit: "mail", asked: ASKED },
    { called: "two", rates: two },
    { called: "one", rates: one },
  );
}

/** Measures from the first mail to the last, by the sink, because planning isn't compared here. */
async function rateOf(
  service: Service,
  database: FilledDatabase,
  sink: OwnSink,
  audience: Audience,
): Promise<number> {
  const id = await makeCampaign(service, database, audience);
  await sink.behave({ acceptAfterMs: ACCEPT_AFTER_MS });
  const { recipients } = await sendPipelined(service, id);
  const { messages, firstAtMs, othersLastAtMs } = await sink.read();
  if (messages !== recipients) throw new Error(`${recipients} mails were sent, and ${messages} taken`);
  return (messages / (othersLastAtMs - firstAtMs)) * 1_000;
}
