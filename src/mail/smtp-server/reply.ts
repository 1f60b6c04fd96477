/** A reply of the server: a code (RFC 5321 §4.2), an enhanced code (RFC 3463) and words, a line or several. */
export type Reply = {
  readonly code: number;
  /** Is absent in replies that have none: the greeting, those to HELO and EHLO, and 3xx (RFC 2034 §4). */
  readonly status?: string;
  readonly lines: readonly string[];
  /** The connection ends after it. */
  readonly closes?: true;
};

export function reply(code: number, status: string, ...lines: readonly string[]): Reply {
  return { code, status, lines };
}

/** Makes a reply after which the connection ends. */
export function lastReply(code: number, status: string, ...lines: readonly string[]): Reply {
  return { code, status, lines, closes: true };
}

/** A reply line has at most 512 octets (RFC 5321 §4.5.3.1.5), with its codes and its end. */
const MOST_COLUMNS = 480;
const MOST_LINES = 20;

/** Whatever the words are made of, they stay on their line and in ASCII. */
export function formatReply({ code, status, lines }: Reply): string {
  const shown = lines.slice(0, MOST_LINES).map((line) => line.replaceAll(/[^ -~]+/g, "?"));
  return shown
    .map((line, nth) => {
      const mark = nth + 1 < shown.length ? "-" : " ";
      return `${code}${mark}${status === undefined ? "" : `${status} `}${line.slice(0, MOST_COLUMNS)}\r\n`;
    })
    .join("");
}
