/**
 * Runs Debian's nsd on an address of its own within loopback, with one zone that holds every name. It listens on port 53, because the
 * filters that ask it know no other.
 */
import { randomInt } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPrograms, start, stop } from "./processes.ts";

const PROGRAM = "/usr/sbin/nsd";
export const INSTALL_NAME_SERVER = "nsd isn't here (apt-get install nsd): left out";

export type NameServer = {
  /** The address alone, as resolv.conf has it. */
  readonly address: string;
  /** Replaces all records by these lines of a zone file, and returns once they are what is answered. */
  publish(lines: string): Promise<Standing>;
  stop(): Promise<void>;
};

/** Before the first time what stood before was answered, after the second what was published. */
type Standing = { readonly beganMs: number; readonly standsMs: number };

export function hasNameServer(): boolean {
  return existsSync(PROGRAM);
}

export async function startNameServer(folder: string): Promise<NameServer> {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  mkdirSync(folder);
  const zone = join(folder, "zone");
  const config = join(folder, "nsd.conf");
  let serial = 1;
  const write = (lines: string) => writeFileSync(zone, zoneFile(serial, lines));
  write("");
  writeFileSync(config, nsdConfig(folder, address));
  const child = start(findPrograms(folder, [PROGRAM]), PROGRAM, ["-d", "-c", config], {});
  const resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([address]);
  const untilAnswered = async () => {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (child.exitCode !== null) throw new Error(`nsd ended with ${child.exitCode}`);
      const { serial: answered } = await resolver.resolveSoa(".").catch(() => ({ serial: 0 }));
      if (answered === serial) return;
      await sleep(50);
    }
    throw new Error(`nsd doesn't answer with the zone of serial ${serial}`);
  };
  await untilAnswered();
  return {
    address,
    async publish(lines) {
      serial++;
      const beganMs = Date.now();
      write(lines);
      child.kill("SIGHUP");
      await untilAnswered();
      return { beganMs, standsMs: Date.now() };
    },
    stop: () => stop(child),
  };
}

function nsdConfig(folder: string, address: string): string {
  return `server:
  ip-address: ${address}@53
  do-ip6: no
  server-count: 1
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  logfile: "${folder}/nsd.log"
  pidfile: ""
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  rrl-ratelimit: 0
  zonefiles-check: yes
remote-control:
  control-enable: no
zone:
  name: "."
  zonefile: "zone"
`;
}

/**
 * Whatever keeps an answer would not see that a record is gone, so none may be kept: the lines lose the time that they ask to be kept.
 */
function zoneFile(serial: number, lines: string): string {
  const fresh = lines.replaceAll(/^(\S+) \d+ IN /gm, "$1 0 IN ");
  return `. 0 IN SOA ns.example. hostmaster.example. ${serial} 3600 600 86400 0\n. 0 IN NS ns.example.\n${fresh}\n`;
}
