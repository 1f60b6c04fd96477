/** What a user agent says of who asks: a person's mail client or browser, an image proxy, or a machine of some sort. */
import { createLruCache } from "../../platform/lru-cache.ts";
import {
  appleMailPattern,
  bareMozilla,
  browserPattern,
  clientPattern,
  harmlessParts,
  imageProxies,
  type ProxyName,
} from "./client-table.ts";
import { machineNames, type NameRow } from "./user-agent-table.ts";

export type AgentReading =
  | { readonly kind: "person" | "apple_mail" | "bare_mozilla" | "missing" }
  | { readonly kind: "proxy"; readonly proxy: ProxyName }
  | { readonly kind: "machine"; readonly reason: NameRow["reason"] };

/** No browser or mail client is known to send more. What lies beyond is never looked at. */
const longestUserAgent = 1024;

const machinePatterns = machineNames.map(({ reason, names }) => ({
  reason,
  pattern: new RegExp(names.join("|"), "i"),
}));

/** Most hits have one of few user agents: reading one anew takes 18 µs, and finding it here less than one. */
const readings = createLruCache<AgentReading>(1_000);
/** Longer ones are rare, and are read each time, so that nobody can fill the memory with them. */
const longestKept = 400;

export function readUserAgent(sent: string | null | undefined): AgentReading {
  if (!sent) return { kind: "missing" };
  if (sent.length > longestKept) return readAnew(sent);
  const known = readings.get(sent);
  if (known) return known;
  const reading = readAnew(sent);
  readings.set(sent, reading);
  return reading;
}

function readAnew(sent: string): AgentReading {
  const agent = sent.slice(0, longestUserAgent).trim();
  if (agent === "" || agent === "-") return { kind: "missing" };
  const proxy = imageProxies.find(({ pattern }) => pattern.test(agent));
  if (proxy) return { kind: "proxy", proxy: proxy.name };
  if (bareMozilla.test(agent)) return { kind: "bare_mozilla" };
  const suspect = agent.replace(harmlessParts, " ");
  const machine = machinePatterns.find(({ pattern }) => pattern.test(suspect));
  if (machine) return { kind: "machine", reason: machine.reason };
  // Who names neither a system nor a program of people is a program that somebody wrote.
  const people = /^Mozilla\//i.test(agent) ? browserPattern : clientPattern;
  if (!people.test(agent)) return { kind: "machine", reason: "bot" };
  return { kind: appleMailPattern.test(agent) ? "apple_mail" : "person" };
}
