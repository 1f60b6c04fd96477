/** Compares mail with Liquid in each of its links, and with the honeypot, to the same mail without. */
import type { Result, Setting } from "../harness/bench.ts";
import { judgeContest, runInTurns } from "../harness/compare.ts";
import { measure, type Sample } from "../harness/meter.ts";
import { keepDatabaseApart, keepProgramApart, keepSinkApart, letGo } from "../mail/cores.ts";
import { type Sink, startSink } from "../mail/sink.ts";
import {
  type Audience,
  type FilledDatabase,
  makeCampaign,
  makeShare,
  type Service,
  sendPipelined,
  startService,
} from "./service.ts";
import { CONNECTIONS } from "./speed.ts";

const ASKED = 0.95;
const WARM_UP_PERCENT = 20;

export async function linksFigure(setting: Setting, database: FilledDatabase): Promise<Result> {
  const sink = await startSink(setting.folder);
  keepSinkApart(sink.pid);
  keepDatabaseApart(setting.postgres.pid);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: "api,jobs,sender", relay });
  keepProgramApart(service.program.pid);
  const send = (isLiquid: boolean, audience: Audience = {}) =>
    sendCampaign(setting, service, database, sink, isLiquid, audience);
  try {
    const warmUp = await makeShare(service, WARM_UP_PERCENT);
    await send(true, warmUp);
    await send(false, warmUp);
    const promised = {
      name: `${database.recipients} mails with Liquid in 20 links and the honeypot on, to the same without`,
      unit: "mail",
      asked: ASKED,
    };
    const contest = { ...promised, ours: () => send(true), reference: () => send(false) };
    const judged = judgeContest(promised, await runInTurns(contest, setting));
    return { ...judged, details: [...judged.details, `received by ${sink.name}`] };
  } finally {
    await service.program.stop();
    letGo(setting.postgres.pid);
    await sink.stop();
  }
}

async function sendCampaign(
  { postgres }: Setting,
  service: Service,
  database: FilledDatabase,
  sink: Sink,
  isLiquid: boolean,
  audience: Audience,
): Promise<Sample> {
  await service.ask("PATCH", "/account", { honeypot_link: isLiquid });
  const id = await makeCampaign(service, database, audience, isLiquid ? "liquid" : "plain");
  const before = await sink.count();
  return measure(postgres, service.program.pid, async () => {
    const { recipients, seconds } = await sendPipelined(service, id);
    const received = (await sink.count()) - before;
    if (received !== recipients) throw new Error(`${recipients} mails were sent, and ${received} taken`);
    return { units: recipients, seconds };
  });
}
