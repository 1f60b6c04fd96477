/** This check asks whether Postrider answers GET and POST at PUBLIC_URL, and whether a recipient's mail program could reach it. */
import { existsSync } from "node:fs";
import { askProbe, type ProbeAnswer, whyNot } from "../../messages/messages.ts";
import type { Config } from "../../platform/config/settings.ts";
import { readSecretKey, secretKeyPath } from "../../platform/instance.ts";
import { type Reach, reachOf } from "../../platform/net/reach.ts";
import { createSecrets } from "../../platform/secrets.ts";
import { type Check, type Env, messageOf, type Result, worst } from "../check.ts";
import { baseUrlOf } from "./addresses.ts";

export type Answer =
  | { readonly kind: "alive" }
  /** Something answers, but it isn't Postrider. A redirect leads to `location`. */
  | { readonly kind: "other"; readonly status: number; readonly location: string | null }
  | { readonly kind: "none"; readonly reason: string };

type Address = {
  readonly url: string;
  readonly isSet: boolean;
  readonly sandbox: boolean;
  readonly servesUnsubscribe: boolean;
};

const TIMEOUT_MS = 5_000;

export const publicUrlCheck: Check<Env> = {
  name: "public address",
  async run({ config, servesUnsubscribe }) {
    const address = publicAddressOf(config, servesUnsubscribe);
    const answer = await askHealth(address.url, TIMEOUT_MS);
    return judgePublicUrl(
      address,
      answer,
      answer.kind === "alive" ? await probe(config, address.url) : undefined,
    );
  },
};

/** The answer is undefined where there is no SECRET_KEY by which we could recognise ourselves. */
async function probe(config: Config, url: string): Promise<ProbeAnswer | undefined> {
  const hasKey = config.secretKey !== undefined || existsSync(secretKeyPath(config.dataDir));
  if (!hasKey) return undefined;
  const secrets = createSecrets(config.secretKey ?? readSecretKey(config.dataDir));
  return askProbe(url, secrets, TIMEOUT_MS);
}

function publicAddressOf(config: Config, servesUnsubscribe: boolean): Address {
  const given = config.publicUrl ?? config.baseUrl;
  return {
    url: given ?? baseUrlOf(config),
    isSet: given !== undefined,
    sandbox: config.smtpUrl === undefined,
    servesUnsubscribe,
  };
}

export function judgePublicUrl(address: Address, answer: Answer, probed?: ProbeAnswer): Result {
  const { protocol, hostname } = new URL(address.url);
  const reach = reachOf(hostname);
  const isPlain = protocol === "http:" && reach !== "loopback";
  return worst([
    judgeAnswer(address, answer),
    ...(probed ? judgeProbe(address, probed) : []),
    ...(address.sandbox || address.servesUnsubscribe ? [] : [NOT_SERVED]),
    ...(reach === "world" ? [] : [judgeReach(address, reach)]),
    ...(isPlain ? [PLAIN] : []),
  ]);
}

/** A redirect is left out, because the request by GET reports it already. */
function judgeProbe({ url, sandbox }: Address, probed: ProbeAnswer): Result[] {
  const reason = whyNot(probed);
  if (reason === null)
    return [{ status: "ok", finding: "and a POST arrives, as one-click unsubscribe sends it" }];
  return [
    {
      status: sandbox ? "warn" : "fail",
      finding: `a POST to ${url}/u/ doesn't arrive (${reason}), so one-click unsubscribe can't work`,
      remedy:
        "let the proxy, and whatever wards off robots, pass POST under /u/; where another Postrider answers, its SECRET_KEY is another",
    },
  ];
}

const NOT_SERVED: Result = {
  status: "warn",
  finding: "this version serves no unsubscribe link yet, so campaigns leave nowhere but into the sandbox",
  remedy: "leave SMTP_URL away until it does; test mail is sent all the same",
};

const PLAIN: Result = {
  status: "warn",
  finding: "it is plain http, and mail programs offer one-click unsubscribe only by https (RFC 8058 §3.1)",
  remedy: "put a proxy with TLS in front and set PUBLIC_URL to its https address",
};

function judgeReach({ url, sandbox }: Address, reach: Exclude<Reach, "world">): Result {
  const where = reach === "loopback" ? "this machine" : "your own network";
  const finding = `only ${where} can reach ${url}, so recipients could neither unsubscribe nor be counted`;
  // In the sandbox no mail reaches a recipient, so nobody else needs to reach the address.
  if (sandbox) return { status: "info", finding };
  return { status: "warn", finding, remedy: "set PUBLIC_URL to an address that the whole world can reach" };
}

function judgeAnswer({ url, isSet }: Address, answer: Answer): Result {
  switch (answer.kind) {
    case "alive":
      return { status: "ok", finding: `Postrider answers at ${url}` };
    case "none":
      // Without PUBLIC_URL and BASE_URL the port may be another one (PORT=0), and a stopped service is no fault.
      if (!isSet) return { status: "info", finding: `nothing answers at ${url} (${answer.reason})` };
      return {
        status: "fail",
        finding: `nothing answers at ${url} (${answer.reason})`,
        remedy:
          "start the service; else check DNS, the proxy and the firewall, or try from outside, if your network can't reach its own public address",
      };
    case "other":
      return judgeOther(url, answer.status, answer.location);
  }
}

function judgeOther(url: string, status: number, location: string | null): Result {
  if (location !== null) {
    return {
      status: "warn",
      finding: `${url} sends its visitors on to ${location}`,
      remedy:
        "set PUBLIC_URL to the address where that ends: a redirect loses the POST of one-click unsubscribe",
    };
  }
  if (status >= 500) {
    return {
      status: "fail",
      finding: `${url} answers ${status}: there is a proxy, but no Postrider behind it`,
      remedy: "start the service, and check where the proxy passes requests on to",
    };
  }
  return {
    status: "fail",
    finding: `something answers at ${url}/healthz with ${status}, but it isn't Postrider`,
    remedy: "let PUBLIC_URL lead to Postrider, with every path",
  };
}

export async function askHealth(url: string, timeoutMs: number): Promise<Answer> {
  try {
    const response = await fetch(`${url}/healthz`, {
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      headers: { connection: "close" },
    });
    const location = response.status < 400 ? response.headers.get("location") : null;
    const text = (await response.text()).slice(0, 1_000);
    if (response.status === 200 && /"status"\s*:\s*"alive"/.test(text)) return { kind: "alive" };
    return { kind: "other", status: response.status, location };
  } catch (error) {
    return { kind: "none", reason: reasonOf(error, timeoutMs) };
  }
}

/** `fetch` says in `cause` what really happened. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if ((error as Error).name === "TimeoutError") return `no answer within ${timeoutMs / 1_000} s`;
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? messageOf(error);
}
