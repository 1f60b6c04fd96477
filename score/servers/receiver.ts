/** A receiving mail server as others run it: Postfix, which lets OpenDKIM and OpenDMARC judge each mail and stores it with what they said. */
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { missingFilters, RECEIVER, startMailFilters } from "./mail-filters.ts";
import { hasNameServer, INSTALL_NAME_SERVER, type NameServer, startNameServer } from "./name-server.ts";
import { isQueueEmpty, listInbox, POSTFIX, runPostfix, SENDING_SERVICES } from "./postfix.ts";
import { findPort, findPrograms } from "./processes.ts";

export type Receiver = {
  readonly port: number;
  readonly nameServer: NameServer;
  /** Returns the path of every mail that is stored by now. */
  inbox(): string[];
  /** Says whether all that was taken is stored. */
  isQuiet(): boolean;
  stop(): Promise<void>;
};

/** Returns a line for each reason why it can't run here. */
export function whyNoReceiver(folder: string): string[] {
  const reasons = [...missingFilters()];
  if (!hasNameServer()) reasons.push(INSTALL_NAME_SERVER);
  if (!findPrograms(folder, [POSTFIX]).has(POSTFIX))
    reasons.push("Postfix isn't here (apt-get install postfix): left out");
  if (process.getuid?.() !== 0) reasons.push("Postfix and nsd can be started by root only: left out");
  return reasons;
}

/** Takes mail to these domains. `relayed` names one whose mail is sent on to a port of this machine. */
export async function startReceiver(
  folder: string,
  domains: readonly string[],
  relayed?: { readonly domain: string; readonly port: number },
): Promise<Receiver> {
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async () => {
    for (const stop of stops.reverse()) await stop();
  };
  try {
    const nameServer = await startNameServer(join(folder, "nsd"));
    stops.push(nameServer.stop);
    const filters = await startMailFilters(join(folder, "filters"), nameServer.address);
    stops.push(async () => void (await Promise.all(filters.map((filter) => filter.stop()))));
    const postfix = join(folder, "postfix");
    mkdirSync(postfix);
    chmodSync(postfix, 0o755);
    // Mail that a filter didn't see would be stored without a verdict.
    const main = `myhostname = ${RECEIVER}
virtual_mailbox_domains = ${domains.join(", ")}
smtpd_milters = ${filters.map(({ port }) => `inet:127.0.0.1:${port}`).join(", ")}
milter_default_action = tempfail
smtpd_peername_lookup = no
notify_classes =
${relayed ? `relay_domains = ${relayed.domain}\ntransport_maps = inline:{ ${relayed.domain}=smtp:[127.0.0.1]:${relayed.port} }\n` : ""}`;
    const programs = findPrograms(folder, [POSTFIX]);
    const running = await runPostfix(programs, postfix, await findPort(), {
      main,
      ...(relayed && { services: SENDING_SERVICES }),
    });
    stops.push(running.stop);
    return {
      port: running.port,
      nameServer,
      inbox: () => listInbox(postfix),
      isQuiet: () => isQueueEmpty(postfix),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
