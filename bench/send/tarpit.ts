/** Measures what a domain that answers as slowly as it can costs all other recipients. */
import type { Result, Setting } from "../harness/bench.ts";
import { judgeRates } from "../harness/compare.ts";
import { rate, share, spread } from "../harness/numbers.ts";
import { type OwnSink, startOwnSink } from "../mail/sink.ts";
import {
  cancelWhole,
  type FilledDatabase,
  fillDatabase,
  makeCampaign,
  makeShare,
  type Service,
  startService,
  until,
  untilStatus,
} from "./service.ts";
import { CONNECTIONS } from "./speed.ts";

const DOMAIN = "tarpit.example";
const ONLY_DOMAIN = "only.example";
const REPLY_AFTER_MS = 3_000;
const ASKED = 0.9;
/** The least ratio of each single round. */
const LEAST = 0.8;
const WARM_UP_PERCENT = 15;
/**
 * A campaign lasts at least this long, at the speed of the warm-up, because a tarpit takes nine seconds for its first
 * message.
 */
const SECONDS = 22;
/** There are fewer rounds where the whole bench is run, which leaves less time. */
const ROUNDS_OF_ALL = 3;

export async function* tarpitFigures(setting: Setting): AsyncIterable<Result> {
  const { folder, note, sizes } = setting;
  const database = await fillDatabase(setting, "send_tarpit", Math.ceil(sizes.rows * 0.16));
  const rounds = setting.part ? sizes.rounds : Math.min(sizes.rounds, ROUNDS_OF_ALL);
  await moveSome(database);
  const sink = await startOwnSink(folder);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: "api,jobs,sender", relay });
  const quick: Sending[] = [];
  const slowed: Sending[] = [];
  let alone: Sending;
  try {
    await sendOthers(service, database, sink, WARM_UP_PERCENT, 0);
    const { perSecond, others } = await sendOthers(service, database, sink, WARM_UP_PERCENT, 0);
    const everybody = (others * 100) / WARM_UP_PERCENT;
    const percent = Math.min(100, Math.ceil(((perSecond * SECONDS) / everybody) * 100));
    for (let round = 1; round <= rounds; round++) {
      const without = await sendOthers(service, database, sink, percent, 0);
      const beside = await sendOthers(service, database, sink, percent, REPLY_AFTER_MS);
      quick.push(without);
      slowed.push(beside);
      const shown = `without ${rate(without.perSecond)}, with ${rate(beside.perSecond)}, ratio ${share(beside.perSecond / without.perSecond)}`;
      note(`tarpit, round ${round} of ${rounds}: the others ${shown}`);
    }
    await moveAll(database);
    alone = await sendOthers(service, database, sink, percent, 0);
  } finally {
    await service.program.stop();
    await sink.stop();
  }
  const name = "the others beside a tarpitting domain of one in twenty, to the same without";
  const speeds = (sent: readonly Sending[]) => sent.map((one) => one.perSecond);
  const judged = judgeRates(
    { name, unit: "mail", asked: ASKED },
    { called: `with a reply every ${REPLY_AFTER_MS / 1_000} s there`, rates: speeds(slowed) },
    { called: "without", rates: speeds(quick) },
  );
  const least = Math.min(...slowed.map((one, at) => one.perSecond / (quick[at]?.perSecond ?? Number.NaN)));
  yield {
    ...judged,
    figure: { ...judged.figure, ok: judged.figure.ok && least >= LEAST },
    details: [
      ...judged.details,
      `each round must reach ${share(LEAST)}`,
      `a campaign lasted ${spread([...quick, ...slowed].map(secondsOf), (one) => `${one.toFixed(1)} s`)}`,
      `everybody at one domain, with nobody slow: ${rate(alone.perSecond)}`,
    ],
  };
}

type Sending = { readonly others: number; readonly perSecond: number };

function secondsOf({ others, perSecond }: Sending): number {
  return others / perSecond;
}

/** Moves everybody to one domain, so that there is nobody else. */
async function moveAll({ query }: FilledDatabase): Promise<void> {
  await query(`
    update subscribers set email = moved, email_key = moved
    from (select account_id, id, regexp_replace(email, '@.*$', '@${ONLY_DOMAIN}') as moved from subscribers) as one
    where one.account_id = subscribers.account_id and one.id = subscribers.id`);
  await query("vacuum (analyze) subscribers");
}

/** Turns five of the generator's 97 domains into one. */
async function moveSome({ query }: FilledDatabase): Promise<void> {
  await query(`
    update subscribers set email = moved, email_key = moved
    from (select account_id, id, regexp_replace(email, '@example[0-4]\\.com$', '@${DOMAIN}') as moved from subscribers) as one
    where one.account_id = subscribers.account_id and one.id = subscribers.id and email <> moved`);
  await query("vacuum (analyze) subscribers");
}

/**
 * Measures from the first mail to the last of the others. Recipients at the domain that is or was slow are then given
 * up.
 */
async function sendOthers(
  service: Service,
  database: FilledDatabase,
  sink: OwnSink,
  percent: number,
  replyAfterMs: number,
): Promise<Sending> {
  const id = await makeCampaign(service, database, await makeShare(service, percent));
  const others = await countOthers(database, percent);
  await sink.behave({ slow: { domain: DOMAIN, replyAfterMs } });
  await service.ask("POST", `/campaigns/${id}/send`);
  const { firstAtMs, othersLastAtMs } = await until("the others have their mail", async () => {
    const taken = await sink.read();
    return taken.messages - taken.slowMessages >= others ? taken : undefined;
  });
  await giveUpRest(service, id);
  return { others, perSecond: (others / (othersLastAtMs - firstAtMs)) * 1_000 };
}

async function giveUpRest(service: Service, id: string): Promise<void> {
  // The campaign may end in the meantime.
  await cancelWhole(service, id).catch(() => untilStatus(service, id, "sent"));
}

async function countOthers({ query }: FilledDatabase, percent: number): Promise<number> {
  const [row] = await query(`
    select count(*) from subscribers
    where status = 'active' and email not like '%@${DOMAIN}' and (fields->>'1')::int >= ${100 - percent}`);
  return Number(row?.["count"]);
}
