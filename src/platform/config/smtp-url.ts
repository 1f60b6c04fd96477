/** Where mail leaves by, as SMTP_URL says it. */
export type Relay = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps:`), rather than by STARTTLS. */
  readonly implicitTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
};

const WANTED = "must look like smtp://user:password@host:587 or smtps://user:password@host:465";

/** The ports are those of RFC 8314 §3.3 where none is given. */
export function parseSmtpUrl(value: string): Relay {
  const url = URL.parse(value);
  if (!url || !/^smtps?:$/.test(url.protocol) || !/^([\w.-]+|\[[\da-f:.]+\])$/i.test(url.hostname)) {
    throw new Error(WANTED);
  }
  if (!/^\/?$/.test(url.pathname) || url.search || url.hash) throw new Error(WANTED);
  if ((url.username === "") !== (url.password === "")) {
    throw new Error("has a user without a password, or a password without a user");
  }
  const implicitTls = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (implicitTls ? 465 : 587)),
    implicitTls,
    credentials: url.username ? { user: decode(url.username), password: decode(url.password) } : undefined,
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error("has a % in the user or the password that must be written %25");
  }
}
