/**
 * A real DNS server for tests, over UDP and TCP. It answers as a resolver does that has already asked everybody: aliases are
 * followed across all zones. Names can be told to misbehave in the ways that servers on the internet do.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type Resource,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import { createDns, type Dns } from "../../src/platform/dns.ts";

type DnsValues = {
  /** Each value is a record. A text is cut into strings of 255 bytes; an array has the strings as they are. Latin-1. */
  TXT: string | readonly string[];
  MX: { readonly exchange: string; readonly preference: number };
  CNAME: string;
  A: string;
  AAAA: string;
  NS: string;
  PTR: string;
};
type DnsType = keyof DnsValues;

type DnsFault =
  | "servfail"
  | "refused"
  /** Nothing is answered. */
  | "silence"
  /** Every answer over UDP is empty and says that it was cut; over TCP it is whole. */
  | "truncate"
  /** Bytes that are no DNS message, under the id of the question. */
  | "garbage"
  /** The right answer to a question that nobody asked. */
  | "wrong_id"
  /** An answer to a question about another name. */
  | "wrong_question"
  /** The answer comes after a second. */
  | "slow";

export type DnsServer = {
  /** `127.0.0.1:port`, as DNS_SERVERS takes it. */
  readonly address: string;
  /** A patient resolver that asks this server. */
  readonly dns: Dns;
  /** Replaces the records of this name and type. */
  set<T extends DnsType>(name: string, type: T, values: readonly DnsValues[T][]): void;
  remove(name: string, type?: DnsType): void;
  /** Applies to all questions about this name; null ends it. */
  misbehave(name: string, fault: DnsFault | null): void;
  /** What was asked, in order. */
  readonly queries: { readonly name: string; readonly type: string; readonly over: "udp" | "tcp" }[];
  close(): Promise<void>;
};

const SERVFAIL = 2;
const NXDOMAIN = 3;
const REFUSED = 5;
/** What fits into a datagram where the question says nothing else (RFC 1035 §4.2.1). */
const PLAIN_UDP_BYTES = 512;
const LONGEST_CHAIN = 16;
const SLOW_MS = 1_000;

export async function startDnsServer(): Promise<DnsServer> {
  const zones = new Map<string, Map<string, readonly Resource[]>>();
  const faults = new Map<string, DnsFault>();
  const queries: DnsServer["queries"] = [];
  const open = new Set<Socket>();

  const reply = async (bytes: Buffer, over: "udp" | "tcp"): Promise<Buffer | undefined> => {
    const query = readQuery(bytes);
    const question = query?.questions?.[0];
    if (!query || !question) return undefined;
    const name = question.name.toLowerCase();
    queries.push({ name, type: question.type, over });
    const fault = faults.get(name);
    if (fault === "silence") return undefined;
    if (fault === "slow") await sleep(SLOW_MS, undefined, { ref: false });
    const answer = answerTo(zones, query, question, fault);
    if (fault === "garbage") return Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(40, 0xff)]);
    const whole = encode(answer);
    const isCut = over === "udp" && (fault === "truncate" || whole.length > datagramBytes(query));
    return isCut
      ? encode({ ...answer, flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE, answers: [] })
      : whole;
  };

  const tcp = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    let kept: Buffer = Buffer.alloc(0);
    socket.on("data", async (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk]);
      while (kept.length >= 2 && kept.length >= 2 + kept.readUInt16BE(0)) {
        const end = 2 + kept.readUInt16BE(0);
        const message = kept.subarray(2, end);
        kept = kept.subarray(end);
        const answer = await reply(message, "tcp");
        if (!answer || socket.destroyed) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      }
    });
  });
  const udp = createSocket("udp4");
  let isOpen = true;
  udp.on("message", async (bytes, from) => {
    const answer = await reply(bytes, "udp");
    if (answer && isOpen) udp.send(answer, from.port, from.address);
  });
  const port = await listenOnBoth(tcp, udp);
  const address = `127.0.0.1:${port}`;
  return {
    address,
    dns: createDns({ servers: [address], timeoutMs: 10_000 }),
    queries,
    set(name, type, values) {
      const key = name.toLowerCase();
      const records = zones.get(key) ?? new Map<string, readonly Resource[]>();
      records.set(
        type,
        values.map((value) => ({ name: key, type, ttl: 300, data: type === "TXT" ? textOf(value) : value })),
      );
      zones.set(key, records);
    },
    remove(name, type) {
      const key = name.toLowerCase();
      if (type) zones.get(key)?.delete(type);
      if (!type || zones.get(key)?.size === 0) zones.delete(key);
    },
    misbehave(name, fault) {
      if (fault) faults.set(name.toLowerCase(), fault);
      else faults.delete(name.toLowerCase());
    },
    async close() {
      isOpen = false;
      for (const socket of open) socket.destroy();
      const closed = [once(tcp, "close"), once(udp, "close")];
      tcp.close();
      udp.close();
      await Promise.all(closed);
    },
  };
}

/** A port that is free for TCP may be taken for UDP, so that another one is tried then. */
async function listenOnBoth(
  tcp: ReturnType<typeof createServer>,
  udp: ReturnType<typeof createSocket>,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const { port } = tcp.address() as AddressInfo;
    const bound = Promise.withResolvers<boolean>();
    const onError = () => bound.resolve(false);
    udp.once("error", onError);
    udp.bind(port, "127.0.0.1", () => bound.resolve(true));
    const isBound = await bound.promise;
    udp.off("error", onError);
    if (isBound) return port;
    if (attempt === 20) throw new Error("no port is free for both UDP and TCP");
    tcp.close();
    await once(tcp, "close");
  }
}

function readQuery(bytes: Buffer): Packet | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function datagramBytes({ additionals = [] }: Packet): number {
  return additionals.find(({ type }) => type === "OPT")?.udpPayloadSize ?? PLAIN_UDP_BYTES;
}

type Zones = ReadonlyMap<string, ReadonlyMap<string, readonly Resource[]>>;

function answerTo(zones: Zones, query: Packet, question: Question, fault: DnsFault | undefined): Packet {
  const id = query.id ?? 0;
  const base = { id, type: "response", questions: [question] } as const;
  const flags = RECURSION_DESIRED | RECURSION_AVAILABLE;
  if (fault === "servfail") return { ...base, flags: flags | SERVFAIL };
  if (fault === "refused") return { ...base, flags: flags | REFUSED };
  const { answers, code } = follow(zones, question);
  const answer = { ...base, flags: flags | code, answers };
  if (fault === "wrong_id") return { ...answer, id: (id + 1) & 0xffff };
  if (fault === "wrong_question") return { ...answer, questions: [{ ...question, name: "other.example" }] };
  return answer;
}

/** Resolvers give up on a loop of aliases with SERVFAIL. */
function follow(zones: Zones, { name, type }: Question): { answers: Resource[]; code: number } {
  const answers: Resource[] = [];
  for (let at = name.toLowerCase(); ; ) {
    if (answers.length > LONGEST_CHAIN) return { answers: [], code: SERVFAIL };
    const records = recordsOf(zones, at);
    const own = (records?.get(type) ?? []).map((record) => ({ ...record, name: at }));
    const [alias] = type === "CNAME" ? [] : (records?.get("CNAME") ?? []);
    answers.push(...own);
    if (own.length > 0 || !alias)
      return { answers, code: records || hasNamesBelow(zones, at) ? 0 : NXDOMAIN };
    answers.push({ ...alias, name: at });
    at = String(alias.data).toLowerCase();
  }
}

/** A star stands for any number of labels, but not above a name that is there (RFC 4592 §3.3). */
function recordsOf(zones: Zones, name: string): ReadonlyMap<string, readonly Resource[]> | undefined {
  if (zones.has(name) || hasNamesBelow(zones, name)) return zones.get(name);
  for (let above = parentOf(name); above !== ""; above = parentOf(above)) {
    const star = zones.get(`*.${above}`);
    if (star || zones.has(above) || hasNamesBelow(zones, above)) return star;
  }
  return undefined;
}

function parentOf(name: string): string {
  return name.includes(".") ? name.slice(name.indexOf(".") + 1) : "";
}

/** A name between others exists, although it has no records of its own (RFC 8020). */
function hasNamesBelow(zones: Zones, name: string): boolean {
  return [...zones.keys()].some((one) => one.endsWith(`.${name}`));
}

function textOf(value: unknown): Buffer[] {
  if (typeof value !== "string") return (value as readonly string[]).map((one) => Buffer.from(one, "latin1"));
  const bytes = Buffer.from(value, "latin1");
  const strings: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) strings.push(bytes.subarray(at, at + 255));
  return strings;
}
