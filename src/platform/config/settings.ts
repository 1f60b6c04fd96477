/**
 * Lists every setting, with its meaning and its default. `postrider config` prints this list, the documents are checked
 * against it, and nothing else in the program reads the environment.
 */
import { isAbsolute, resolve } from "node:path";
import { parseIssuer, parseOidcGroups, parseOidcName } from "./parse-oidc.ts";
import {
  parseBlocklists,
  parseCurrency,
  parseDatabaseUrl,
  parseDkimKeys,
  parseDnsServers,
  parseHostPort,
  parseHttpUrl,
  parseInboundDomain,
  parseInteger,
  parseInternalHosts,
  parseLines,
  parsePrice,
  parseSecretKeys,
  parseSmtpUrl,
  parseStripeKey,
  parseStripeSecrets,
  parseSystemFrom,
  parseToken,
} from "./parse-values.ts";

export type Setting<T = unknown> = {
  readonly name: string;
  readonly meaning: string;
  /** The default as it would be written in `.env`, or undefined where there is none. */
  readonly default: string | undefined;
  /** `postrider config` prints this in place of an absent default. */
  readonly whenAbsent?: string;
  readonly secret?: true;
  /** Throws an Error whose message says what is wanted. */
  readonly parse: (text: string) => T;
};

const ROLES = ["api", "public", "sender", "jobs"] as const;
export type RoleName = (typeof ROLES)[number];

export const config = {
  host: text("HOST", "127.0.0.1", "The address to listen on. Use 0.0.0.0 to be reached from other machines."),
  port: integer("PORT", "4000", 0, 65_535, "The port to listen on; 0 takes any free one."),
  dataDir: {
    name: "DATA_DIR",
    meaning: "Where the embedded database, the secret key and uploaded files live.",
    default: "./data",
    parse: (value) => (isAbsolute(value) ? value : resolve(value)),
  } satisfies Setting<string>,
  uploadDir: optional(
    "UPLOAD_DIR",
    "Where uploaded files lie until they are imported. With several machines, a folder that all of them share.",
    "DATA_DIR/uploads",
    (value) => (isAbsolute(value) ? value : resolve(value)),
  ),
  databaseUrl: optional(
    "DATABASE_URL",
    "A PostgreSQL of version 15 or newer to use in place of the embedded one. Needs SECRET_KEY.",
    "embedded PostgreSQL in DATA_DIR",
    parseDatabaseUrl,
    { secret: true },
  ),
  databasePoolSize: integer(
    "DATABASE_POOL_SIZE",
    "10",
    2,
    500,
    "How many database connections a process may hold; each thread that sends holds up to 7 of its own.",
  ),
  roles: {
    name: "ROLES",
    meaning: `What this process does: any of ${ROLES.join(", ")}, with commas.`,
    default: ROLES.join(","),
    parse: parseRoles,
  } satisfies Setting<readonly RoleName[]>,
  jobConcurrency: integer("JOB_CONCURRENCY", "10", 1, 200, "How many jobs a process runs at once."),
  baseUrl: optional(
    "BASE_URL",
    "The address under which people and clients reach the API and the dashboard.",
    "http://HOST:PORT",
    parseHttpUrl,
  ),
  publicUrl: optional(
    "PUBLIC_URL",
    "The address under which recipients reach unsubscribe and tracking links. Campaigns leave only if the world can reach it.",
    "BASE_URL",
    parseHttpUrl,
  ),
  pageLocalesDir: optional(
    "PAGE_LOCALES_DIR",
    "A folder with further languages of the public pages, a file such as pt-BR.json for each.",
    "English, German and French",
    (value) => (isAbsolute(value) ? value : resolve(value)),
  ),
  inboundDomain: optional(
    "INBOUND_DOMAIN",
    "The domain of return paths and mailto: unsubscribes, to which bounces come. Its MX record must lead to INBOUND_PORT of this machine.",
    "mail is sent from the address in its From, and no bounces come here by SMTP",
    parseInboundDomain,
  ),
  inboundPort: optional(
    "INBOUND_PORT",
    "A port on HOST where bounces and unsubscribes to INBOUND_DOMAIN come in by SMTP; usually 25.",
    "no mail comes in",
    (value) => parseInteger(value, 0, 65_535),
  ),
  submissionPort: optional(
    "SUBMISSION_PORT",
    "A port on HOST where programs submit mail by SMTP, with an API key for a password; usually 587.",
    "no SMTP submission",
    (value) => parseInteger(value, 0, 65_535),
  ),
  submissionTlsPort: optional(
    "SUBMISSION_TLS_PORT",
    "A second such port, on which TLS begins with the first byte; usually 465. Needs SUBMISSION_PORT.",
    "no such port",
    (value) => parseInteger(value, 0, 65_535),
  ),
  tlsCertFile: optional(
    "TLS_CERT_FILE",
    "The certificate chain in PEM that SMTP submission and INBOUND_PORT show. It is read again when it changes. Submission needs it unless HOST is this machine alone.",
    "no TLS by SMTP",
    (value) => resolve(value),
  ),
  tlsKeyFile: optional(
    "TLS_KEY_FILE",
    "The private key in PEM of TLS_CERT_FILE.",
    "no TLS by SMTP",
    (value) => resolve(value),
  ),
  smtpUrl: optional(
    "SMTP_URL",
    "The relay that mail leaves by: smtp://user:password@host:587, or smtps:// for TLS from the first byte.",
    "sandbox: nothing leaves this machine",
    parseSmtpUrl,
    { secret: true },
  ),
  systemFrom: optional(
    "SYSTEM_FROM",
    "From whom this program's own mail is: links for forgotten passwords, invitations and notices. An address, or Name <address>.",
    "the account's sender",
    parseSystemFrom,
  ),
  smtpRatePerSecond: optional(
    "SMTP_RATE_PER_SECOND",
    "How many messages a second the relay of SMTP_URL takes, from all processes together.",
    "no limit",
    (value) => parseInteger(value, 1, 1_000_000),
  ),
  relayPricePer1000: optional(
    "RELAY_PRICE_PER_1000",
    "What a thousand mails cost, such as 0.10: usage is then shown with its cost.",
    "usage is shown without a cost",
    parsePrice,
  ),
  relayPriceCurrency: {
    name: "RELAY_PRICE_CURRENCY",
    meaning: "The currency of RELAY_PRICE_PER_1000, by its three letters.",
    default: "USD",
    parse: parseCurrency,
  } satisfies Setting<string>,
  stripeSecretKey: optional(
    "STRIPE_SECRET_KEY",
    "The secret or restricted key by which accounts are charged at Stripe: sk_live_…, or sk_test_… to try it. Needs STRIPE_WEBHOOK_SECRET.",
    "nobody is charged here",
    parseStripeKey,
    { secret: true },
  ),
  stripeWebhookSecret: optional(
    "STRIPE_WEBHOOK_SECRET",
    "The whsec_… by which Stripe signs what it posts to PUBLIC_URL/inbound/stripe. `new,old` rotates. Needs STRIPE_SECRET_KEY.",
    "nobody is charged here",
    parseStripeSecrets,
    { secret: true },
  ),
  stripeApiUrl: {
    name: "STRIPE_API_URL",
    meaning:
      "Where Stripe is asked. Leave it as it is, but for a test against a server that stands in for Stripe.",
    default: "https://api.stripe.com",
    parse: parseHttpUrl,
  } satisfies Setting<string>,
  billingIssuer: optional(
    "BILLING_ISSUER",
    "Who issues statements: the name and the lines of the address, with semicolons between them.",
    "statements name nobody",
    parseLines,
  ),
  senderThreads: integer(
    "SENDER_THREADS",
    "1",
    0,
    64,
    "How many threads send, each with connections of its own; 0 sends in the process's main thread.",
  ),
  retryAfterSeconds: integer(
    "RETRY_AFTER_SECONDS",
    "60",
    1,
    3_600,
    "How long a message waits that a server deferred, before it is first tried again; then twice as long each time.",
  ),
  emailRetentionDays: integer(
    "EMAIL_RETENTION_DAYS",
    "30",
    // A mail is tried for 72 hours, and could not be sent any more without its content.
    4,
    3_650,
    "How long the content of a transactional mail is kept after it has left, sealed: addresses, texts and subject.",
  ),
  dkimKeys: optional(
    "DKIM_KEYS",
    "Keys to sign mail with, as domain:selector:file, with commas. The file is a private key in PEM. Behind = stand the accounts that may use it, as =acc_…+acc_…, or =* for all; without it only the first account may.",
    "mail isn't signed here",
    parseDkimKeys,
  ),
  unverifiedSenders: choice(
    "UNVERIFIED_SENDERS",
    "warn",
    ["warn", "refuse"],
    "What becomes of mail from a domain that its account has not proved. A relay may sign it by itself, so it leaves and is warned of, unless it is refused.",
  ),
  dnsServers: optional(
    "DNS_SERVERS",
    "The resolvers that are asked for the records of sender domains, by address and optional port, with commas.",
    "the resolvers of this machine",
    parseDnsServers,
  ),
  blocklists: optional(
    "BLOCKLISTS",
    "The DNS blocklists that are asked for the addresses mail leaves by, as zones with commas (`domain:` before one of domains that isn't known), or `off`.",
    "SpamCop and PSBL, unless the resolver is a public one",
    parseBlocklists,
    { secret: true },
  ),
  spamd: optional(
    "SPAMD",
    "A SpamAssassin daemon (spamd) that mail tests ask, as host:port; usually 127.0.0.1:783.",
    "no SpamAssassin is asked",
    parseHostPort,
  ),
  rspamdUrl: optional(
    "RSPAMD_URL",
    "An rspamd that mail tests ask over HTTP; usually http://127.0.0.1:11333.",
    "no rspamd is asked",
    parseHttpUrl,
  ),
  internalHosts: optional(
    "INTERNAL_HOSTS",
    "Host names, addresses and ranges inside your network that accounts' own transports, and URLs that others chose, may lead to, with commas.",
    "they reach nothing inside",
    parseInternalHosts,
  ),
  secretKey: optional(
    "SECRET_KEY",
    "At least 32 characters; signs and encrypts. The same on every machine. `new,old` rotates.",
    "made once, kept in DATA_DIR/secret.key",
    parseSecretKeys,
    { secret: true },
  ),
  oidcIssuer: optional(
    "OIDC_ISSUER",
    "The OpenID Connect provider that people sign in with, by the address that its tokens name. It may stand in your own network. Needs OIDC_CLIENT_ID.",
    "no single sign-on",
    parseIssuer,
  ),
  oidcClientId: optional(
    "OIDC_CLIENT_ID",
    "What the provider calls this service. Needs OIDC_ISSUER.",
    "no single sign-on",
    (value) => value,
  ),
  oidcClientSecret: optional(
    "OIDC_CLIENT_SECRET",
    "The secret that the provider gave this service. Needs OIDC_CLIENT_ID.",
    "a public client, by PKCE alone",
    (value) => value,
    { secret: true },
  ),
  oidcName: {
    name: "OIDC_NAME",
    meaning: "What the provider is called on the button: Sign in with ….",
    default: "single sign-on",
    parse: parseOidcName,
  } satisfies Setting<string>,
  oidcScopes: text(
    "OIDC_SCOPES",
    "openid email profile",
    "The scopes that the provider is asked for, with blanks; some want one for groups.",
  ),
  oidcGroupsClaim: text("OIDC_GROUPS_CLAIM", "groups", "The claim in which the provider lists groups."),
  oidcGroups: optional(
    "OIDC_GROUPS",
    "Which groups of the provider are which role of which account, as GROUP=acc_…:ROLE, with semicolons. Of several the highest role counts. It is applied at every sign-in.",
    "people are invited, and their roles stay as they are",
    parseOidcGroups,
  ),
  passwordSignIn: choice(
    "PASSWORD_SIGN_IN",
    "on",
    ["on", "off"],
    "off lets people in by single sign-on alone, and by links that the command line prints. Needs OIDC_ISSUER.",
  ),
  signUp: choice(
    "SIGN_UP",
    "closed",
    ["closed", "invite", "open"],
    "open lets anybody open an account, by a link that is mailed to them: needs SMTP_URL and SYSTEM_FROM, and PASSWORD_SIGN_IN on. With closed and with invite operators and the command line open accounts, and people are invited to them; with invite the sign-in page says so.",
  ),
  rateLimitPerMinute: integer(
    "RATE_LIMIT_PER_MINUTE",
    "600",
    1,
    10_000_000,
    "Requests a minute for each API key, and for each IP address without one, in each process.",
  ),
  trustProxy: integer(
    "TRUST_PROXY",
    "0",
    0,
    10,
    "How many reverse proxies stand in front; their X-Forwarded-For and -Proto are then believed.",
  ),
  metricsPort: optional(
    "METRICS_PORT",
    "A port on HOST that serves /metrics without a token; keep it off the internet.",
    "no such port",
    (value) => parseInteger(value, 0, 65_535),
  ),
  metricsToken: optional(
    "METRICS_TOKEN",
    "A bearer token of at least 16 characters that opens /metrics on the main port.",
    "/metrics on the main port is closed",
    (value) => parseToken(value),
    { secret: true },
  ),
  dashboardBuild: choice(
    "DASHBOARD_BUILD",
    "auto",
    ["auto", "never"],
    "auto builds the dashboard at a start after its sources have changed; never serves it as `npm run build` left it.",
  ),
  logLevel: choice(
    "LOG_LEVEL",
    "info",
    ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    "The least serious log line to write.",
  ),
  logFormat: choice(
    "LOG_FORMAT",
    "auto",
    ["auto", "json", "pretty"],
    "auto is pretty on a terminal and JSON elsewhere.",
  ),
} as const;

export type Config = {
  readonly [K in keyof typeof config]: ReturnType<(typeof config)[K]["parse"]> | Absent<K>;
};
// A setting without a default may be undefined; one with a default never is.
type Absent<K extends keyof typeof config> = (typeof config)[K]["default"] extends string ? never : undefined;

export const settings: readonly Setting[] = Object.values(config);

function text(name: string, fallback: string, meaning: string) {
  return { name, meaning, default: fallback, parse: (value: string) => value };
}

function integer(name: string, fallback: string, least: number, most: number, meaning: string) {
  return { name, meaning, default: fallback, parse: (value: string) => parseInteger(value, least, most) };
}

function choice<const C extends string>(name: string, fallback: C, choices: readonly C[], meaning: string) {
  const parse = (value: string): C => {
    const found = choices.find((one) => one === value);
    if (found === undefined) throw new Error(`must be one of ${choices.join(", ")}`);
    return found;
  };
  return { name, meaning: `${meaning} One of ${choices.join(", ")}.`, default: fallback as string, parse };
}

function optional<T>(
  name: string,
  meaning: string,
  whenAbsent: string,
  parse: (value: string) => T,
  flags?: { secret: true },
) {
  return { name, meaning, default: undefined, whenAbsent, parse, ...flags };
}

function parseRoles(value: string): readonly RoleName[] {
  return value.split(",").map((word) => {
    const role = ROLES.find((one) => one === word.trim());
    if (!role) throw new Error(`must be some of ${ROLES.join(", ")}, with commas`);
    return role;
  });
}
