/** This check holds HOST, BASE_URL and TRUST_PROXY against each other. */
import type { Config } from "../../platform/config/settings.ts";
import { reachOf } from "../../platform/net/reach.ts";
import { type Check, type Env, type Result, worst } from "../check.ts";

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

/** Without BASE_URL the service calls itself by the host and port on which it listens. */
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
