/** This check asks whether mail can leave by SMTP_URL, and safely. It connects, begins TLS and signs in, and sends no mail. */
import { adviseOn, readRelay } from "../../delivery/delivery.ts";
import { type Probe, probeServer, type SmtpOptions } from "../../mail/smtp/smtp.ts";
import { reachOf } from "../../platform/net/reach.ts";
import { type Check, type Env, messageOf, type Result } from "../check.ts";

const TIMEOUT_MS = 8_000;

export const relayCheck: Check<Env> = {
  name: "relay",
  async run({ config }) {
    let relay: SmtpOptions | undefined;
    try {
      relay = readRelay(config);
    } catch (error) {
      const remedy = "write it as smtp://user:password@host:587, or smtps:// for port 465";
      return { status: "fail", finding: messageOf(error), remedy };
    }
    if (!relay) {
      return { status: "info", finding: "sandbox: mail lands in the dashboard's inbox, and nothing leaves" };
    }
    return judgeRelay(relay, await probeServer(relay, { limitMs: TIMEOUT_MS }));
  },
};

export function judgeRelay(relay: SmtpOptions, probe: Probe): Result {
  const { failure, isSecure } = probe;
  const name = `${relay.host}:${relay.port}`;
  if (failure) {
    return {
      status: "fail",
      finding: describeFailure(name, failure),
      remedy: adviseOn(failure) + inUrl(failure),
    };
  }
  const isLocal = reachOf(relay.host) === "loopback";
  if (!isSecure && !isLocal) {
    return {
      status: "warn",
      finding: `${name} offers no STARTTLS, so mail travels to it in plain text`,
      remedy: "let the relay offer STARTTLS, unless the network between is yours alone",
    };
  }
  if (relay.verifyCertificate === false && !isLocal) {
    return {
      status: "warn",
      finding: `the certificate of ${name} isn't checked, so anybody in between can read along`,
      remedy: "take verify=false out of SMTP_URL, and give the relay a certificate that holds",
    };
  }
  if (!relay.credentials && relay.port === 587) {
    return {
      status: "warn",
      finding: `${name} is a submission port, which wants a sign-in (RFC 6409 §4.3), and SMTP_URL has no user`,
      remedy: "write it as smtp://user:password@host:587",
    };
  }
  return { status: "ok", finding: describe(name, relay, probe) };
}

function describeFailure(name: string, { phase, code, text }: NonNullable<Probe["failure"]>): string {
  if (phase === "connect") return `${name} can't be reached (${text})`;
  return code === null
    ? `${name} fails at ${phase} (${text})`
    : `${name} answers “${code} ${text}” at ${phase}`;
}

/** The advice names a transport's fields. This says where the same stands in SMTP_URL. */
function inUrl({ phase }: NonNullable<Probe["failure"]>): string {
  if (!["tls", "starttls", "greeting", "auth"].includes(phase)) return "";
  return " (In SMTP_URL, smtps:// is implicit TLS, ?tls=required and ?verify=false the rest.)";
}

function describe(name: string, { credentials }: SmtpOptions, { isSecure, pipelining }: Probe): string {
  const parts = [
    isSecure ? "TLS" : "plain text",
    credentials ? "signed in" : "no sign-in",
    pipelining ? "PIPELINING" : "no PIPELINING, so each mail costs more round trips",
  ];
  return `${name} answers: ${parts.join(", ")}`;
}
