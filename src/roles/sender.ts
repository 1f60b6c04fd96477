/**
 * The `sender` role leases batches of the ledger, has them composed, sends them and writes what became of them. It runs in
 * threads of its own, so that it never slows the API.
 */
import { type MessageComposer, startSenders } from "../delivery/delivery.ts";
import { createEmailComposer } from "../emails/emails.ts";
import { createComposer, createLinkTokens, createReturnPaths } from "../messages/messages.ts";
import { readSystemFrom } from "../notices/notices.ts";
import type { App, Role } from "./app.ts";
import { startSenderThreads } from "./sender-threads.ts";
import { sourceOwner } from "./source-owner.ts";

export function startSender(app: App): Promise<Role> {
  return app.config.senderThreads === 0 ? sendHere(app) : startSenderThreads(app);
}

type SenderApp = Pick<
  App,
  "config" | "db" | "clock" | "log" | "listener" | "secrets" | "relay" | "signing" | "contentWorkers"
> & { readonly linkKey: Uint8Array };

export function sendHere(app: SenderApp): Promise<Role> {
  const { config, db, clock, log, listener, secrets, relay, signing, contentWorkers } = app;
  const linkTokens = createLinkTokens(app.linkKey);
  const { inboundDomain } = config;
  const returnPaths = createReturnPaths(app.linkKey);
  const back = { linkTokens, returnPaths, inboundDomain };
  const ofRevisions = createComposer({ db, ...back, workers: contentWorkers, signing, clock });
  const ofEmails = createEmailComposer({
    db,
    ...back,
    secrets,
    signing,
    systemFrom: readSystemFrom(config.systemFrom)?.email,
    log,
  });
  const composer: MessageComposer = {
    prepare: (accountId, revisionId, stream) =>
      (stream === "transactional" ? ofEmails : ofRevisions).prepare(accountId, revisionId, stream),
  };
  return startSenders({
    db,
    clock,
    log,
    listener,
    secrets,
    composer,
    owner: sourceOwner,
    relay,
    relayPerSecond: config.smtpRatePerSecond,
    internalHosts: config.internalHosts ?? [],
    firstRetryMs: config.retryAfterSeconds * 1_000,
    tokenFor: returnPaths.bounceFor,
  });
}
