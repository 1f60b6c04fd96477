/** HOST, BASE_URL and TRUST_PROXY against each other; and which addresses the world can reach. */
import { BlockList, isIP } from "node:net";
import type { Config } from "../platform/config/settings.ts";
import { type Check, type Env, type Result, worst } from "./check.ts";

export const addressesCheck: Check<Env> = {
  name: "addresses",
  run: async ({ config }) => judgeAddresses(config),
};

type Addresses = Pick<Config, "host" | "port" | "baseUrl" | "trustProxy">;

export function judgeAddresses(config: Addresses): Result {
  const base = baseUrlOf(config);
  const results = [judgeBaseUrl(config, base), judgeCookie(base), judgeProxy(config, base)];
  const [first = { status: "ok", finding: base }, ...rest] = results.flatMap((result) => result ?? []);
  return worst([first, ...rest]);
}

/** What `npm start` listens on and calls itself when BASE_URL says nothing. */
export function baseUrlOf({ host, port, baseUrl }: Pick<Config, "host" | "port" | "baseUrl">): string {
  return baseUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function judgeBaseUrl({ host, baseUrl }: Addresses, base: string): Result | undefined {
  if (baseUrl !== undefined || !/^(0\.0\.0\.0|::)$/.test(host)) return undefined;
  return {
    status: "warn",
    finding: `HOST is ${host} and BASE_URL is absent, so Postrider calls itself ${base}, which leads nowhere`,
    remedy: "set BASE_URL to the address that people type, such as https://mail.example.com",
  };
}

/** Browsers keep a `__Host-` cookie only from https, or from this very machine (RFC 6265bis §4.1.3.2). */
function judgeCookie(base: string): Result | undefined {
  const { protocol, hostname } = new URL(base);
  if (protocol === "https:" || reachOf(hostname) === "loopback") return undefined;
  if (/^(0\.0\.0\.0|\[::\])$/.test(hostname)) return undefined;
  return {
    status: "warn",
    finding: `${base} is plain http, so browsers won't keep the dashboard's cookie and nobody can sign in there`,
    remedy: "put a proxy with TLS in front and set BASE_URL to its https address",
  };
}

function judgeProxy({ trustProxy }: Addresses, base: string): Result | undefined {
  if (trustProxy > 0 || !base.startsWith("https:")) return undefined;
  return {
    status: "warn",
    finding:
      "BASE_URL is https, so a proxy stands in front, but TRUST_PROXY is 0: every client seems to be that proxy",
    remedy: "set TRUST_PROXY to the number of proxies, so that rate limits count each client by itself",
  };
}

export type Reach = "loopback" | "private" | "world";

const loopback = blockList(["127.0.0.0/8", "::1/128"]);
// RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291.
const privates = blockList(
  "0.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 169.254.0.0/16 fc00::/7 fe80::/10 ::/128".split(
    " ",
  ),
);

/** By its name alone, without asking anybody. */
export function reachOf(hostname: string): Reach {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  if (isIP(host)) {
    if (loopback.check(host, family)) return "loopback";
    return privates.check(host, family) ? "private" : "world";
  }
  // RFC 6762 (.local), RFC 8375 (.home.arpa), and the name that ICANN keeps free for this (.internal).
  return host.includes(".") && !/\.(local|internal|home\.arpa|lan)$/.test(host) ? "world" : "private";
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
