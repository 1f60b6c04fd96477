/** This check says what is missing for bounces to come back to INBOUND_DOMAIN. It asks nobody: an MX record is for people to look at. */
import type { Config } from "../../platform/config/settings.ts";
import { reachOf } from "../../platform/net/reach.ts";
import { type Check, type Env, type Result, worst } from "../check.ts";

export const inboundCheck: Check<Env> = {
  name: "bounces",
  run: async ({ config }) => judgeInbound(config),
};

type InboundSettings = Pick<Config, "inboundDomain" | "inboundPort" | "host" | "roles" | "tlsCertFile">;

const SMTP_PORT = 25;

export function judgeInbound(settings: InboundSettings): Result {
  const { inboundDomain: domain, inboundPort: port, roles } = settings;
  if (domain === undefined)
    return {
      status: "info",
      finding:
        "INBOUND_DOMAIN is absent, so bounces and complaints come back only from mailboxes and providers that accounts connect",
    };
  if (port === undefined || !roles.includes("public"))
    return {
      status: "warn",
      finding: `mail leaves with return paths at ${domain}, but this process takes no mail for it`,
      remedy: `set INBOUND_PORT to ${SMTP_PORT} where ROLES has public, unless another process does so`,
    };
  const ok: Result = {
    status: "ok",
    finding: `takes bounces to ${domain} on port ${port}; the MX record of ${domain} must name this machine`,
  };
  return worst([ok, ...[judgeReach(settings, port), judgeTls(settings)].flatMap((one) => one ?? [])]);
}

function judgeReach({ host }: InboundSettings, port: number): Result | undefined {
  const isHidden = reachOf(host) === "loopback";
  if (!isHidden && port === SMTP_PORT) return undefined;
  return {
    status: isHidden ? "warn" : "info",
    finding: `bounces are taken on port ${port} of ${host}, and other servers deliver to port ${SMTP_PORT} of the machine that the MX record names`,
    remedy: `set HOST to 0.0.0.0 and INBOUND_PORT to ${SMTP_PORT}, or let what listens there pass them on`,
  };
}

function judgeTls({ tlsCertFile }: InboundSettings): Result | undefined {
  if (tlsCertFile !== undefined) return undefined;
  return {
    status: "warn",
    finding: "bounces come in as plain text, because there is no certificate",
    remedy: "set TLS_CERT_FILE and TLS_KEY_FILE",
  };
}
