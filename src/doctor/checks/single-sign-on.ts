/** This check asks whether people can sign in with the provider of OIDC_ISSUER: it reads what the provider publishes, and signs nobody in. */
import { getAccount, lookAtProvider, type ProviderLook } from "../../accounts/accounts.ts";
import type { Config } from "../../platform/config/settings.ts";
import { toPublicId } from "../../platform/ids.ts";
import { reachOf } from "../../platform/net/reach.ts";
import { type Check, type DatabaseEnv, type Env, type Result, worst } from "../check.ts";
import { baseUrlOf } from "./addresses.ts";

export const singleSignOnCheck: Check<Env> = {
  name: "single sign-on",
  async run({ config }) {
    return judgeProvider(config, await lookAtProvider(config));
  },
};

type Settings = Pick<Config, "oidcIssuer" | "oidcClientSecret" | "baseUrl" | "host" | "port">;

export function judgeProvider(config: Settings, look: ProviderLook): Result {
  if (look.kind === "none") return { status: "info", finding: "not set up: people sign in with passwords" };
  const { oidcIssuer: issuer = "" } = config;
  if (look.kind === "away") {
    return {
      status: "fail",
      finding: `the provider ${issuer} gives no answer: ${look.why}`,
      remedy:
        "check OIDC_ISSUER, DNS and the firewall; other hosts in your own network that it leads to, and plain http, want INTERNAL_HOSTS",
    };
  }
  if (look.kind === "refused") {
    return {
      status: "fail",
      finding: `what ${issuer} publishes can't be used: ${look.why}`,
      remedy: `set OIDC_ISSUER to the \`issuer\` that the provider's own /.well-known/openid-configuration names`,
    };
  }
  const redirect = `${config.baseUrl ?? baseUrlOf(config as Config)}/sign-in/sso`;
  const found: Result = {
    status: "ok",
    finding: `${look.issuer} answers; it must know ${redirect} as the redirect address`,
  };
  return worst([found, ...judgeSafety(config, look.hasS256), ...judgeAddress(config.baseUrl)]);
}

function judgeSafety({ oidcClientSecret: secret }: Settings, hasS256: boolean): Result[] {
  if (hasS256) return [];
  const finding = "the provider doesn't say that it knows PKCE with S256 (RFC 7636)";
  if (secret) return [{ status: "info", finding }];
  return [
    { status: "warn", finding, remedy: "set OIDC_CLIENT_SECRET, so that a stolen code is worth nothing" },
  ];
}

function judgeAddress(baseUrl: string | undefined): Result[] {
  if (baseUrl === undefined) {
    const finding = "BASE_URL isn't set, so that the redirect address changes with HOST and PORT";
    return [{ status: "warn", finding, remedy: "set BASE_URL to the address that people open" }];
  }
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || reachOf(hostname) === "loopback") return [];
  const finding = `BASE_URL is plain http, by which nobody can sign in from another machine`;
  return [
    {
      status: "warn",
      finding,
      remedy: "put a proxy with TLS in front, and set BASE_URL to its https address",
    },
  ];
}

export const ssoGroupsCheck: Check<DatabaseEnv> = {
  name: "groups of single sign-on",
  run: ({ config, look }) =>
    look(async (tx) => {
      const ids = [...new Set((config.oidcGroups ?? []).map(({ accountId }) => accountId))];
      const unknown: string[] = [];
      for (const id of ids) if (!(await getAccount(tx, id))) unknown.push(toPublicId("acc", id));
      return judgeGroups(config.oidcGroups?.length ?? 0, unknown);
    }),
};

export function judgeGroups(count: number, unknown: readonly string[]): Result {
  if (count === 0) return { status: "info", finding: "none: people are invited, and keep their roles" };
  if (unknown.length === 0)
    return { status: "ok", finding: `OIDC_GROUPS names ${count}, all of accounts that exist` };
  return {
    status: "warn",
    finding: `OIDC_GROUPS names accounts that don't exist: ${unknown.join(", ")}`,
    remedy: "correct their ids; Settings → Account shows an account's own",
  };
}
