/**
 * Runs the filters by which a receiving server judges mail: OpenDKIM, which verifies signatures, and OpenDMARC, which evaluates SPF and
 * DMARC. Both write what they found into Authentication-Results.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPort, findPrograms, type Running, start, stop, untilListening } from "./processes.ts";

const PROGRAMS = { opendkim: "/usr/sbin/opendkim", opendmarc: "/usr/sbin/opendmarc" };
export const RECEIVER = "receiver.example";
/** By default both filters pass over mail from this machine, which is where all of it comes from. */
const NOBODY_IS_INSIDE = "192.0.2.254";

/** Returns a line for each filter that isn't installed. */
export function missingFilters(): string[] {
  return Object.entries(PROGRAMS)
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => `${name} isn't here (apt-get install ${name}): left out`);
}

/** Starts both, in the order in which mail passes through them. */
export async function startMailFilters(folder: string, nameServer: string): Promise<readonly Running[]> {
  mkdirSync(folder);
  const resolver = join(folder, "resolv.conf");
  writeFileSync(resolver, `nameserver ${nameServer}\n`);
  const opendkim = await startFilter("opendkim", folder, resolver, (port) =>
    opendkimConfig(port, nameServer),
  );
  try {
    return [opendkim, await startFilter("opendmarc", folder, resolver, opendmarcConfig)];
  } catch (error) {
    await opendkim.stop();
    throw error;
  }
}

/** OpenDMARC knows no setting for its name server, so each runs where another file is mounted over the machine's. */
async function startFilter(
  name: keyof typeof PROGRAMS,
  folder: string,
  resolver: string,
  configOf: (port: number) => string,
): Promise<Running> {
  const port = await findPort();
  const config = join(folder, `${name}.conf`);
  writeFileSync(config, configOf(port));
  const command = `mount --bind "$1" /etc/resolv.conf && exec ${PROGRAMS[name]} -f ${name === "opendkim" ? "-x" : "-c"} "$2"`;
  const unshare = "/usr/bin/unshare";
  const args = ["--mount", "/bin/sh", "-c", command, "sh", resolver, config];
  const child = start(findPrograms(folder, [unshare]), unshare, args, {});
  await untilListening(port, child);
  return { port, stop: () => stop(child) };
}

function opendkimConfig(port: number, nameServer: string): string {
  return `Mode v
Socket inet:${port}@127.0.0.1
Nameservers ${nameServer}
InternalHosts ${NOBODY_IS_INSIDE}
AuthservID ${RECEIVER}
AlwaysAddARHeader yes
Syslog no
`;
}

function opendmarcConfig(port: number): string {
  return `Socket inet:${port}@127.0.0.1
AuthservID ${RECEIVER}
TrustedAuthservIDs ${RECEIVER}
IgnoreHosts /dev/null
SPFIgnoreResults true
SPFSelfValidate true
Syslog false
`;
}
