/** The extensions that a server offers in its reply to EHLO (RFC 5321 §4.1.1.1). */
export type Capabilities = {
  readonly pipelining: boolean;
  readonly startTls: boolean;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  readonly dsn: boolean;
  /** The limit of RFC 1870: null where SIZE isn't offered, 0 where there is no limit. */
  readonly sizeLimit: number | null;
  readonly authMethods: readonly string[];
};

/** Nothing is known of the server before EHLO, or after HELO. */
export const noCapabilities: Capabilities = readCapabilities([]);

export function readCapabilities(lines: readonly string[]): Capabilities {
  const offered = new Map<string, readonly string[]>();
  const authMethods: string[] = [];
  for (const line of lines.slice(1)) {
    // Servers older than RFC 2554 write "AUTH=LOGIN", often beside the other form.
    const [keyword = "", ...values] = line
      .trim()
      .toUpperCase()
      .split(/[\s=]+/);
    offered.set(keyword, values);
    if (keyword === "AUTH") authMethods.push(...values);
  }
  return {
    pipelining: offered.has("PIPELINING"),
    startTls: offered.has("STARTTLS"),
    eightBitMime: offered.has("8BITMIME"),
    smtpUtf8: offered.has("SMTPUTF8"),
    dsn: offered.has("DSN"),
    sizeLimit: readSize(offered.get("SIZE")),
    authMethods,
  };
}

function readSize(values: readonly string[] | undefined): number | null {
  if (!values) return null;
  const [limit = "0"] = values;
  return /^\d{1,15}$/.test(limit) ? Number(limit) : 0;
}
