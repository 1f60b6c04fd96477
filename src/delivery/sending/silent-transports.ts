/**
 * While a server is silent no batch by it ends, so that nothing would show this sender that mail could leave by another since. Every
 * two seconds it looks by itself, and only at transports by which nothing has gone.
 */
import { leaveTransport } from "../failover/failover.ts";
import type { Runnable } from "../ledger/ledger.ts";
import type { OpenTransport, OpenTransports } from "./open-transports.ts";

const LOOK_EVERY_MS = 2_000;

type Tools = Parameters<typeof leaveTransport>[0];

export function createSilentTransports(tools: Tools, transports: OpenTransports) {
  let lookedMs = tools.clock.monotonicMs();

  async function look(one: Runnable, open: OpenTransport, isBusy: boolean): Promise<void> {
    const { account_id: accountId, transport_id: transportId, source_id: id, stream } = one;
    const lost = open.reach?.lost();
    if (lost) {
      const left = { accountId, transportId, version: open.version, source: { id, stream }, ...lost };
      if (await leaveTransport(tools, left)) transports.retire(transportId);
    } else if (isBusy && !open.hasOthers && open.reach?.isSilentFor(LOOK_EVERY_MS)) {
      // One that is alone has minutes to answer. If it isn't any more, it is opened anew, and what waits begins again.
      const now = await transports.open(accountId, transportId);
      if (now?.hasOthers && now.transport !== open.transport) open.transport.cut();
    }
  }

  return async (sources: readonly Runnable[], busy: Iterable<string>): Promise<void> => {
    const nowMs = tools.clock.monotonicMs();
    if (nowMs - lookedMs < LOOK_EVERY_MS) return;
    lookedMs = nowMs;
    const withBatches = new Set(busy);
    const seen = new Set<string>();
    for (const one of sources) {
      const open = transports.known(one.transport_id);
      const way = `${one.transport_id} ${one.stream}`;
      if (!open || seen.has(way)) continue;
      seen.add(way);
      await look(one, open, withBatches.has(one.transport_id));
    }
  };
}
