/** Measures whether the API stays quick while its process sends as fast as it can. */
import type { Result, Setting } from "../harness/bench.ts";
import { judgeBeside, runOpenLoop } from "../imports/open-loop.ts";
import { keepSinkApart } from "../mail/cores.ts";
import { startSink } from "../mail/sink.ts";
import { type FilledDatabase, makeCampaign, makeShare, sendPipelined, startService } from "./service.ts";
import { CONNECTIONS } from "./speed.ts";
import { describeWaits, prepareWatch, startWatch } from "./waits.ts";

const PER_SECOND = 100;
const IDLE_SECONDS = 10;
const WARM_UP_SECONDS = 2;
const WARM_UP_PERCENT = 10;

export async function besideFigure({ folder }: Setting, database: FilledDatabase): Promise<Result> {
  const sink = await startSink(folder);
  keepSinkApart(sink.pid);
  await prepareWatch(database);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: "api,jobs,sender", relay });
  try {
    const { port } = service;
    await sendPipelined(
      service,
      await makeCampaign(service, database, await makeShare(service, WARM_UP_PERCENT)),
    );
    const id = await makeCampaign(service, database);
    const paths = [
      `/v1/subscribers?list_id=${database.listId}&limit=10`,
      `/v1/lists/${database.listId}`,
      `/v1/campaigns/${id}`,
    ];
    const path = (turn: number) => paths[turn % paths.length] ?? "";
    const loop = { port, key: database.key, perSecond: PER_SECOND, path };
    await runOpenLoop(loop, (elapsedMs) => elapsedMs > WARM_UP_SECONDS * 1_000);
    const idleWatch = await startWatch(database, service.program);
    const idle = await runOpenLoop(loop, (elapsedMs) => elapsedMs > IDLE_SECONDS * 1_000);
    const idleWaits = await idleWatch.end();
    let isSent = false;
    const sending = sendPipelined(service, id).finally(() => {
      isSent = true;
    });
    const watch = await startWatch(database, service.program);
    const times = await runOpenLoop(loop, () => isSent);
    const waits = await watch.end();
    await sending;
    const name = `API p99 in ms at ${PER_SECOND} requests/s during a send at full speed`;
    const judged = judgeBeside(name, idle, times);
    const explained = [describeWaits("idle", idleWaits), describeWaits("meanwhile", waits)];
    return { ...judged, details: [...judged.details, ...explained] };
  } finally {
    await service.program.stop();
    await sink.stop();
  }
}
