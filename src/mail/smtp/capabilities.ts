/** What a server says it can do, from its reply to EHLO (RFC 5321 §4.1.1.1). */
export type Capabilities = {
  readonly pipelining: boolean;
  readonly startTls: boolean;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  readonly dsn: boolean;
  /** RFC 1870: null where SIZE isn't offered, 0 where it has no limit. */
  readonly sizeLimit: number | null;
  readonly authMethods: readonly string[];
};

/** After HELO, or before anything is known. */
export const noCapabilities: Capabilities = readCapabilities([]);

export function readCapabilities(lines: readonly string[]): Capabilities {
  const offered = new Map<string, readonly string[]>();
  const authMethods: string[] = [];
  for (const line of lines.slice(1)) {
    // "AUTH=LOGIN" is how servers older than RFC 2554 say it, often beside the other form.
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
