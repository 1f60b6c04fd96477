/** SMTP_URL: can mail leave, and would the password be safe on the way? */
import type { Relay } from "../platform/config/smtp-url.ts";
import { reachOf } from "./addresses.ts";
import type { Check, Env, Result } from "./check.ts";
import { type Probe, probeRelay, type Reply, type Seen } from "./smtp-probe.ts";

const TIMEOUT_MS = 8_000;

export const relayCheck: Check<Env> = {
  name: "relay",
  async run({ config }) {
    if (!config.smtpUrl) {
      return { status: "info", finding: "sandbox: mail lands in the dashboard's inbox, and nothing leaves" };
    }
    return judgeRelay(config.smtpUrl, await probeRelay(config.smtpUrl, TIMEOUT_MS));
  },
};

export function judgeRelay(relay: Relay, probe: Probe): Result {
  const name = `${relay.host}:${relay.port}`;
  switch (probe.kind) {
    case "unreachable":
      return {
        status: "fail",
        finding: `${name} can't be reached (${probe.reason})`,
        remedy: reachRemedy(relay, probe.reason),
      };
    case "refused":
      return {
        status: "fail",
        finding: `${name} answers ${quote(probe.reply)} to ${probe.at === "greeting" ? "our connection" : probe.at}`,
        remedy: "ask whoever runs the relay: this machine's address may have to be allowed there",
      };
    case "broken":
      return {
        status: "fail",
        finding: `${name} was lost at ${probe.at} (${probe.reason})`,
        remedy: brokenRemedy(relay, probe.at),
      };
    case "seen":
      return judgeSeen(relay, name, probe);
  }
}

function judgeSeen(relay: Relay, name: string, seen: Seen): Result {
  const auth = seen.offers.find((offer) => /^AUTH\b/.test(offer));
  const isLocal = reachOf(relay.host) === "loopback";
  const { tls } = seen;
  const password = relay.credentials !== undefined;
  if (!tls && password && !isLocal) {
    return {
      status: "fail",
      finding: `${name} offers no STARTTLS, so the password would travel in plain text`,
      remedy: "use the relay's port with TLS: smtps://…:465, or smtp://…:587",
    };
  }
  if (tls?.fault && !isLocal) {
    return {
      status: password ? "fail" : "warn",
      finding: `the certificate of ${name} doesn't hold: ${tls.fault}`,
      remedy: "name the relay as its certificate does, or have the certificate renewed",
    };
  }
  if (password && !auth) {
    return {
      status: "fail",
      finding: `${name} offers no AUTH, but SMTP_URL has a user and a password`,
      remedy: "take both out of SMTP_URL, or use the relay's submission port (587 or 465)",
    };
  }
  if (!tls && !isLocal) {
    return {
      status: "warn",
      finding: `${name} offers no STARTTLS, so mail travels to it in plain text`,
      remedy: "let the relay offer STARTTLS, unless the network between is yours alone",
    };
  }
  if (!password && relay.port === 587) {
    return {
      status: "warn",
      finding: `${name} is a submission port, which wants a sign-in (RFC 6409 §4.3), and SMTP_URL has no user`,
      remedy: "write it as smtp://user:password@host:587",
    };
  }
  return { status: "ok", finding: describe(name, seen, auth) };
}

function describe(name: string, { tls, offers }: Seen, auth: string | undefined): string {
  const parts = [
    tls ? tls.protocol : "plain text",
    ...(auth ? [auth] : []),
    offers.includes("PIPELINING") ? "PIPELINING" : "no PIPELINING, so each mail costs more round trips",
  ];
  return `${name} answers: ${parts.join(", ")} (no sign-in was tried)`;
}

function reachRemedy({ host, port }: Relay, reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return `check the name ${host} in SMTP_URL, and this machine's DNS`;
  if (reason === "ECONNREFUSED") return `check the port in SMTP_URL: nothing listens on ${port} there`;
  return port === 25
    ? "many hosting companies block port 25: use the relay's port 587 or 465, or ask for it to be opened"
    : "check the host and the port in SMTP_URL, and the firewalls between";
}

function brokenRemedy({ implicitTls, port }: Relay, at: string): string {
  if (!implicitTls && at === "the greeting") {
    return port === 465
      ? "port 465 speaks TLS from the first byte: write smtps:// in SMTP_URL"
      : "check that the port in SMTP_URL is an SMTP server's; one that waits for TLS wants smtps://";
  }
  if (implicitTls && at === "the TLS handshake") {
    return "the port may want STARTTLS instead: write smtp:// in SMTP_URL";
  }
  return "try again; if it stays, the relay's log says more";
}

function quote({ code, lines }: Reply): string {
  return `“${code} ${lines.join(" ").slice(0, 200)}”`;
}
