/** Says how a server is reached and how it is treated, with every default. */
import type { LookupFunction } from "node:net";
import { hostname } from "node:os";
import type { Capabilities } from "./capabilities.ts";

export type TlsMode =
  /** TLS from the first byte, as on port 465 (RFC 8314 §3.3). */
  | "implicit"
  /** STARTTLS must succeed, or nothing is sent. */
  | "required"
  /**
   * STARTTLS is used where it is offered. Once begun it must succeed, since a broken handshake is no reason to go without.
   */
  | "opportunistic"
  | "never";

export type AuthMethod = "PLAIN" | "LOGIN" | "CRAM-MD5" | "XOAUTH2";

export type Credentials =
  | { readonly user: string; readonly password: string; readonly method?: Exclude<AuthMethod, "XOAUTH2"> }
  /** The token is asked for at each new connection, because tokens expire. */
  | { readonly user: string; readonly accessToken: () => string | Promise<string> };

export type SmtpOptions = {
  readonly host: string;
  readonly port: number;
  /** Replaces the system's DNS look-up, to refuse hosts that may not be reached. It is called for literal addresses too. */
  readonly lookup?: LookupFunction;
  readonly tls?: TlsMode;
  /** Is off only for a server whose certificate no authority signed; then anybody in between can read the traffic. */
  readonly verifyCertificate?: boolean;
  /** A certificate authority that is trusted instead of the public ones. */
  readonly ca?: string;
  /** The name to ask for (SNI) and to find in the certificate, where it isn't `host`. */
  readonly serverName?: string;
  readonly credentials?: Credentials;
  /** Without TLS the password is sent to a loopback address only, unless this is set. */
  readonly allowPlainTextAuth?: boolean;
  /** The name that we give in EHLO. */
  readonly name?: string;
  readonly maxConnections?: number;
  readonly maxMessagesPerConnection?: number;
  readonly idleCloseMs?: number;
  /** The greatest age of the go-ahead for a body when the server is ready for it. */
  readonly goAheadTtlMs?: number;
  /**
   * Sends the next message's MAIL, RCPT and DATA in one write with this one's final dot (RFC 2920 §3.1). It is off, because
   * a server that closes after a message then resets the connection, which may lose its 250 and make the message ambiguous.
   */
  readonly lookAhead?: boolean;
  /** Is told what the server offers, whenever a connection to it is open. */
  readonly onOpen?: (capabilities: Pick<Capabilities, "sizeLimit">) => void;
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
  /** The time limit of EHLO, STARTTLS, AUTH and RSET. */
  readonly commandMs: number;
  readonly mailMs: number;
  readonly rcptMs: number;
  readonly dataMs: number;
  readonly blockMs: number;
  readonly dotMs: number;
  /** The time limit of a lone dot, which ends a message that nobody is to get: nothing depends on its reply. */
  readonly loneDotMs: number;
  readonly quitMs: number;
};

/** RFC 5321 §4.5.3.2 sets all the limits that it names. */
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
  loneDotMs: 5_000,
  quitMs: 2_000,
};

export type SmtpSettings = Required<
  Omit<SmtpOptions, "lookup" | "ca" | "serverName" | "credentials" | "name">
> & {
  readonly lookup: LookupFunction | undefined;
  readonly ca: string | undefined;
  readonly serverName: string;
  readonly credentials: Credentials | undefined;
  /** Where it is undefined, EHLO gives the address we connect from, as a literal (RFC 5321 §4.1.4). */
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
    onOpen: options.onOpen ?? (() => undefined),
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

/** The name becomes part of a command, so it must not hold another one. */
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
