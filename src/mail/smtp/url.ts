/** Reads a server and how to reach it from one line: `smtp://user:password@host:587?tls=required`. */
import { inspect } from "node:util";
import type { AuthMethod, SmtpOptions, TlsMode } from "./options.ts";

type SmtpUrl = SmtpOptions & {
  /** Returns the same line without the password; logs and the console show this too. */
  toString(): string;
};

const EXAMPLE = "smtp://user:password@host:587 or smtps://user:password@host:465";
const tlsModes: readonly TlsMode[] = ["required", "opportunistic", "never"];
const methods: readonly AuthMethod[] = ["PLAIN", "LOGIN", "CRAM-MD5"];

/** Throws an Error that says what is wrong and quotes nothing that could be secret. */
export function parseSmtpUrl(text: string): SmtpUrl {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol)) throw new Error(`must look like ${EXAMPLE}`);
  const host = readHost(url);
  if (!/^\/?$/.test(url.pathname) || url.hash) throw new Error("has a path or a # behind the host");
  const query = readQuery(url);
  const method = query.one("auth", (value) => methods.find((name) => name === value.toUpperCase()));
  const options: SmtpOptions = {
    host,
    port: url.port === "" ? defaultPort(url) : readPort(url.port),
    tls: url.protocol === "smtps:" ? "implicit" : (query.one("tls", toTlsMode) ?? "opportunistic"),
    ...readCredentials(url, method as "PLAIN" | "LOGIN" | "CRAM-MD5" | undefined),
    ...given("verifyCertificate", query.one("verify", toBoolean)),
    ...given("serverName", query.one("servername", toName)),
    ...given("name", query.one("name", toName)),
    ...given("maxConnections", query.one("connections", toCount)),
    ...given("maxMessagesPerConnection", query.one("messages", toCount)),
    ...given("allowPlainTextAuth", query.one("plaintext-auth", toBoolean)),
  };
  query.refuseOthers();
  if (url.protocol === "smtps:" && url.searchParams.has("tls"))
    throw new Error("needs no tls= beside smtps:");
  return withMask(options, masked(url, options));
}

/** The ports are those of RFC 8314 §3.3, and 25 for a relay without a user name. */
function defaultPort(url: URL): number {
  if (url.protocol === "smtps:") return 465;
  return url.username === "" ? 25 : 587;
}

function readPort(port: string): number {
  if (Number(port) === 0) throw new Error("has port 0");
  return Number(port);
}

function readHost({ hostname }: URL): string {
  const host = /^\[.*\]$/.test(hostname) ? hostname.slice(1, -1) : hostname;
  if (!/^([\w.-]+|[\da-f:.]+)$/i.test(host)) throw new Error(`has no host: it must look like ${EXAMPLE}`);
  return host;
}

function readCredentials(
  url: URL,
  method: "PLAIN" | "LOGIN" | "CRAM-MD5" | undefined,
): Pick<SmtpOptions, "credentials"> {
  if ((url.username === "") !== (url.password === "")) {
    throw new Error("has a user without a password, or a password without a user");
  }
  if (url.username === "") {
    if (method) throw new Error("has auth= without a user");
    return {};
  }
  const [user, password] = [decode(url.username), decode(url.password)];
  if (/[\0\r\n]/.test(user + password))
    throw new Error("has a line break or a NUL in the user or the password");
  return { credentials: { user, password, ...given("method", method) } };
}

type Query = {
  one<T>(name: string, read: (value: string) => T | undefined): T | undefined;
  refuseOthers(): void;
};

function readQuery(url: URL): Query {
  const known = new Set<string>();
  return {
    one(name, read) {
      known.add(name);
      const values = url.searchParams.getAll(name);
      if (values.length === 0) return undefined;
      const value = values.length === 1 ? read(values[0] as string) : undefined;
      if (value === undefined) throw new Error(`has a ${name}= that can't be understood`);
      return value;
    },
    refuseOthers() {
      const unknown = [...url.searchParams.keys()].filter((name) => !known.has(name));
      if (unknown.length > 0) throw new Error(`knows only these options: ${[...known].join(", ")}`);
    },
  };
}

function toTlsMode(value: string): TlsMode | undefined {
  return tlsModes.find((mode) => mode === value);
}

function toBoolean(value: string): boolean | undefined {
  return value === "true" ? true : value === "false" ? false : undefined;
}

function toName(value: string): string | undefined {
  return /^[\w.:[\]-]{1,255}$/.test(value) ? value : undefined;
}

function toCount(value: string): number | undefined {
  return /^[1-9]\d{0,5}$/.test(value) ? Number(value) : undefined;
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error("has a % in the user or the password that must be written %25");
  }
}

function masked(url: URL, { host, port }: SmtpOptions): string {
  const who = url.username === "" ? "" : `${url.username}:***@`;
  return `${url.protocol}//${who}${host.includes(":") ? `[${host}]` : host}:${port}${url.search}`;
}

function withMask(options: SmtpOptions, text: string): SmtpUrl {
  const show = { value: () => text, enumerable: false };
  return Object.defineProperties(
    { ...options },
    { toString: show, toJSON: show, [inspect.custom]: show },
  ) as SmtpUrl;
}
