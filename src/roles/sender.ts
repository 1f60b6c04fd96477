/** The `sender` role: takes leased batches of the ledger, has them composed, sends them and writes what became of them. */
import { createCompose, sourceEnded } from "../campaigns/campaigns.ts";
import { startSenders } from "../delivery/delivery.ts";
import type { App, Role } from "./app.ts";

export function startSender({ db, clock, log, listener, secrets, contentWorkers }: App): Promise<Role> {
  const compose = createCompose({ secrets, workers: contentWorkers });
  return startSenders({ db, clock, log, listener, compose, sourceEnded, relay: undefined });
}
