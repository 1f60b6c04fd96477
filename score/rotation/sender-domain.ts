/** A sender domain whose records are published as its owner would publish them: from the zone lines of the product itself. */
import { setTimeout as sleep } from "node:timers/promises";
import type { NameServer } from "../servers/name-server.ts";
import type { Product } from "../servers/product.ts";
import type { Published } from "./verdict.ts";

export const DOMAIN = "shop.example";
const RETURN_PATH = `bounce.${DOMAIN}`;
export const INBOUND_DOMAIN = "bounces.service.example";
/** The owner had a strict record before, which has to be kept. */
const FORMER_DMARC = `_dmarc.${DOMAIN}. 0 IN TXT "v=DMARC1; p=reject; adkim=s"\n`;
/** The relay stands on this machine, and the return path is an alias of this name. */
const OF_INSTANCE = `${INBOUND_DOMAIN}. 0 IN MX 10 mx.service.example.
${INBOUND_DOMAIN}. 0 IN TXT "v=spf1 ip4:127.0.0.1 -all"
mx.service.example. 0 IN A 127.0.0.1
`;

export type Key = { readonly selector: string; readonly state: string; readonly seen_at: string | null };

export type SenderDomain = {
  readonly id: string;
  readonly history: readonly Published[];
  keys(): Promise<readonly Key[]>;
  /** Publishes what the product now asks for, and nothing else. */
  publish(): Promise<void>;
  /** Waits until the product itself has seen what is asked, by its own looks. */
  untilKeys(what: string, isMet: (keys: readonly Key[]) => boolean): Promise<void>;
};

/** A process that was killed while it looked into the DNS keeps others from it for a minute. */
const PATIENCE_MS = 180_000;

/** Adds the domain, publishes its records, and waits until it is verified. */
export async function proveDomain(product: Product, nameServer: NameServer): Promise<SenderDomain> {
  const history: Published[] = [];
  await nameServer.publish(`${OF_INSTANCE}${FORMER_DMARC}`);
  const { id } = await product.must("POST", "/v1/domains", {
    name: DOMAIN,
    return_path: RETURN_PATH,
    ed25519: true,
  });
  const read = () => product.must("GET", `/v1/domains/${id}`);
  const domain: SenderDomain = {
    id,
    history,
    keys: async () => (await read()).keys,
    async publish() {
      const lines = String(await product.must("GET", `/v1/domains/${id}/zone`));
      const isKept = !lines.includes("v=DMARC1");
      const standing = await nameServer.publish(`${OF_INSTANCE}${isKept ? FORMER_DMARC : ""}${lines}`);
      const selectors = [...lines.matchAll(/^(\S+)\._domainkey\./gm)].map(([, selector = ""]) => selector);
      history.push({ selectors, ...standing });
    },
    untilKeys: (what, isMet) => untilMet(what, async () => isMet((await read()).keys)),
  };
  await domain.publish();
  // Reading it makes the product look every few seconds.
  await untilMet("the domain is verified", async () => {
    const { status, records } = await read();
    const isUsed = records.some((one: Row) => one["kind"] === "return_path" && one["status"] === "ok");
    return status === "verified" && isUsed;
  });
  // What the product found of SPF and DMARC by now is in its lines.
  await domain.publish();
  await domain.untilKeys("all keys are seen", (keys) => keys.every(({ seen_at }) => seen_at !== null));
  return domain;
}

type Row = Readonly<Record<string, unknown>>;

async function untilMet(what: string, isMet: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`);
    await sleep(500);
  }
}

export const selectorsOf = (keys: readonly Key[], state: string): string[] =>
  keys
    .filter((key) => key.state === state)
    .map(({ selector }) => selector)
    .sort();
