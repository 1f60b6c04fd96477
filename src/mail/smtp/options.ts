/** How a server is reached and how it is treated, with every default. */
import type { LookupFunction } from "node:net";
import { hostname } from "node:os";

export type TlsMode =
  /** From the first byte, as on port 465 (RFC 8314 §3.3). */
  | "implicit"
  /** STARTTLS, or nothing is sent. */
  | "required"
  /** STARTTLS where it is offered. Once begun it must succeed: a broken handshake is no reason to go without. */
  | "opportunistic"
  | "never";

export type AuthMethod = "PLAIN" | "LOGIN" | "CRAM-MD5" | "XOAUTH2";

export type Credentials =
  | { readonly user: string; readonly password: string; readonly method?: Exclude<AuthMethod, "XOAUTH2"> }
  /** Asked for a token at each new connection, because tokens end. */
  | { readonly user: string; readonly accessToken: () => string | Promise<string> };

export type SmtpOptions = {
  readonly host: string;
  readonly port: number;
  /** In place of the system's own, to refuse hosts that may not be reached. Asked of literal addresses too. */
  readonly lookup?: LookupFunction;
  readonly tls?: TlsMode;
  /** Off only for a server whose certificate nobody signed: then anybody in between can read along. */
  readonly verifyCertificate?: boolean;
  /** Trusted instead of the public authorities. */
  readonly ca?: string;
  /** The name to ask for (SNI) and to find in the certificate, where it isn't `host`. */
  readonly serverName?: string;
  readonly credentials?: Credentials;
  /** Without TLS the password goes to a loopback address only, unless this is set. */
  readonly allowPlainTextAuth?: boolean;
  /** What we call ourselves in EHLO. */
  readonly name?: string;
  readonly maxConnections?: number;
  readonly maxMessagesPerConnection?: number;
  readonly idleCloseMs?: number;
  /** How old the go-ahead for a body may be when the server is ready for it. */
  readonly goAheadTtlMs?: number;
  /**
   * Send the next message's MAIL, RCPT and DATA in one write with this one's final dot (RFC 2920 §3.1). Off, because a
   * server that closes after a message then resets the connection, which may swallow its 250: one more is ambiguous.
   */
  readonly lookAhead?: boolean;
  readonly backOff?: Partial<BackOffOptions>;
  readonly timeouts?: Partial<Timeouts>;
  readonly clock?: { monotonicMs(): number };
  readonly random?: () => number;
};

export type BackOffOptions = { readonly firstMs: number; readonly maxMs: number };

type Timeouts = {
  readonly connectMs: number;
  readonly tlsMs: number;
  readonly greetingMs: number;
  /** EHLO, STARTTLS, AUTH and RSET. */
  readonly commandMs: number;
  readonly mailMs: number;
  readonly rcptMs: number;
  readonly dataMs: number;
  readonly blockMs: number;
  readonly dotMs: number;
  readonly quitMs: number;
};

/** RFC 5321 §4.5.3.2 for all that it names. */
const defaultTimeouts: Timeouts = {
  connectMs: 30_000,
  tlsMs: 30_000,
  greetingMs: 300_000,
  commandMs: 300_000,
  mailMs: 300_000,
  rcptMs: 300_000,
  dataMs: 120_000,
  blockMs: 180_000,
  dotMs: 600_000,
  quitMs: 2_000,
};

export type SmtpSettings = Required<
  Omit<SmtpOptions, "lookup" | "ca" | "serverName" | "credentials" | "name">
> & {
  readonly lookup: LookupFunction | undefined;
  readonly ca: string | undefined;
  readonly serverName: string;
  readonly credentials: Credentials | undefined;
  /** Undefined: the address we connect from, as a literal (RFC 5321 §4.1.4). */
  readonly name: string | undefined;
  readonly timeouts: Timeouts;
  readonly backOff: BackOffOptions;
};

export function settle(options: SmtpOptions): SmtpSettings {
  return {
    host: options.host,
    port: checkPort(options.port),
    lookup: options.lookup,
    tls: options.tls ?? "opportunistic",
    verifyCertificate: options.verifyCertificate ?? true,
    ca: options.ca,
    serverName: options.serverName ?? options.host,
    credentials: options.credentials,
    allowPlainTextAuth: options.allowPlainTextAuth ?? false,
    name: checkName(options.name ?? ownName()),
    maxConnections: atLeastOne(options.maxConnections ?? 10, "maxConnections"),
    maxMessagesPerConnection: atLeastOne(
      options.maxMessagesPerConnection ?? 1_000,
      "maxMessagesPerConnection",
    ),
    idleCloseMs: options.idleCloseMs ?? 30_000,
    goAheadTtlMs: options.goAheadTtlMs ?? 200,
    lookAhead: options.lookAhead ?? false,
    backOff: { firstMs: 500, maxMs: 60_000, ...options.backOff },
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    clock: options.clock ?? { monotonicMs: () => performance.now() },
    random: options.random ?? Math.random,
  };
}

function ownName(): string | undefined {
  const name = hostname();
  return /^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(name) ? name : undefined;
}

/** It becomes part of a command. */
function checkName(name: string | undefined): string | undefined {
  if (name !== undefined && !/^[\x21-\x7e]{1,255}$/.test(name)) {
    throw new TypeError("the name for EHLO must be a host name or an address literal");
  }
  return name;
}

function checkPort(port: number): number {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new TypeError("the port must be 1 to 65535");
  return port;
}

function atLeastOne(value: number, name: string): number {
  if (!(value >= 1)) throw new TypeError(`${name} must be at least 1`);
  return value;
}
