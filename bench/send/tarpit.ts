/** What a domain that answers as slowly as it can costs everybody else. */
import type { Result, Setting } from "../harness/bench.ts";
import { judgeRates } from "../harness/compare.ts";
import { rate } from "../harness/numbers.ts";
import { type OwnSink, startOwnSink } from "../mail/sink.ts";
import {
  type Audience,
  cancelWhole,
  makeCampaign,
  makeShare,
  type Place,
  type Service,
  startService,
  until,
  untilStatus,
} from "./service.ts";
import { CONNECTIONS } from "./speed.ts";

const DOMAIN = "tarpit.example";
const REPLY_AFTER_MS = 3_000;
const ASKED = 0.9;
const ROUNDS = 3;
const PERCENT = 30;

export async function* tarpitFigures({ folder, note }: Setting, place: Place): AsyncIterable<Result> {
  await moveSome(place);
  const sink = await startOwnSink(folder);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(place, { roles: "api,jobs,sender", relay });
  const quick: number[] = [];
  const slowed: number[] = [];
  try {
    const audience = await makeShare(service, PERCENT);
    const othersRate = (replyAfterMs: number) => rateOfOthers(service, place, sink, audience, replyAfterMs);
    await othersRate(0);
    for (let round = 1; round <= ROUNDS; round++) {
      quick.push(await othersRate(0));
      slowed.push(await othersRate(REPLY_AFTER_MS));
      const shown = `without ${rate(quick.at(-1) ?? 0)}, with ${rate(slowed.at(-1) ?? 0)}`;
      note(`tarpit, round ${round} of ${ROUNDS}: the others ${shown}`);
    }
  } finally {
    await service.program.stop();
    await sink.stop();
  }
  const name = "the others beside a tarpitting domain of one in twenty, to the same without";
  yield judgeRates(
    { name, unit: "mail", asked: ASKED },
    { called: `with a reply every ${REPLY_AFTER_MS / 1_000} s there`, rates: slowed },
    { called: "without", rates: quick },
  );
}

/** Five of the generator's 97 domains become one. */
async function moveSome({ query }: Place): Promise<void> {
  await query(`
    update subscribers set email = moved, email_key = moved
    from (select account_id, id, regexp_replace(email, '@example[0-4]\\.com$', '@${DOMAIN}') as moved from subscribers) as one
    where one.account_id = subscribers.account_id and one.id = subscribers.id and email <> moved`);
  await query("vacuum (analyze) subscribers");
}

/** From the first mail to the last of the others. Those of the domain that is slow, or was, are then given up. */
async function rateOfOthers(
  service: Service,
  place: Place,
  sink: OwnSink,
  audience: Audience,
  replyAfterMs: number,
): Promise<number> {
  const id = await makeCampaign(service, place, audience);
  const others = await countOthers(place);
  await sink.behave({ slow: { domain: DOMAIN, replyAfterMs } });
  await service.ask("POST", `/campaigns/${id}/send`);
  const { firstAtMs, othersLastAtMs } = await until("the others have their mail", async () => {
    const taken = await sink.read();
    return taken.messages - taken.slowMessages >= others ? taken : undefined;
  });
  await giveUpRest(service, id);
  return (others / (othersLastAtMs - firstAtMs)) * 1_000;
}

async function giveUpRest(service: Service, id: string): Promise<void> {
  // It may come to its end meanwhile.
  await cancelWhole(service, id).catch(() => untilStatus(service, id, "sent"));
}

async function countOthers({ query }: Place): Promise<number> {
  const [row] = await query(`
    select count(*) from subscribers
    where status = 'active' and email not like '%@${DOMAIN}' and (fields->>'1')::int >= ${100 - PERCENT}`);
  return Number(row?.["count"]);
}
