import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

// Our code logs ids, never addresses or keys, but a library's message may quote its input; so every finished line passes
// here before it reaches a disk. An address is anything around an @, except the folder before a scoped package's name in
// a stack trace. Each pattern takes time linear in the text's length, so that a long text can't stop the process.
const ADDRESS =
  /(?:"[^"\n]{1,64}"|(?<![^\s"<>(),:;\\[\]@])[^\s"<>(),:;\\[\]@]+)(?<!\/)(?:@|＠|%(?:25)*40)(?:\[[^\]\s]*\]|[^\s"'<>(),:;\\[\]=/?&]+)/giu;
const KEY =
  /(?<![A-Za-z0-9])(?:pr[slef]?_|[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9_+/=-]{8,}|pr_[A-Za-z0-9]{40,}/g;
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"]{0,200}):[^\s@"]{0,1000}@/gi;
const SUSPECT = /[@＠]|%(?:25)*40|pr[slef]?_|[sr]k_(?:live|test)_|whsec_/;

export function scrub(text: string): string {
  return text.replace(URL_PASSWORD, "$1:[secret]@").replace(KEY, "[key]").replace(ADDRESS, "[address]");
}

/**
 * Scrubs each text value by itself: in the line as a whole an escape such as \n is two characters, and cutting it breaks
 * the JSON.
 */
export function scrubLine(line: string): string {
  if (!SUSPECT.test(line)) return line;
  try {
    return `${JSON.stringify(JSON.parse(line, scrubValue))}\n`;
  } catch {
    return scrub(line);
  }
}

function scrubValue(_key: string, value: unknown): unknown {
  if (typeof value === "string") return scrub(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [scrub(key), inner]));
}

/** Prints for people where a terminal is attached, unless a setting says otherwise. */
export function isPretty(format: "auto" | "json" | "pretty"): boolean {
  return format === "pretty" || (format === "auto" && process.stdout.isTTY === true);
}

/** Writes JSON lines, or short coloured lines where a terminal is attached. */
export function createLog(options: {
  level: LogLevel;
  pretty: boolean;
  destination?: DestinationStream;
}): Log {
  const out = options.destination ?? process.stdout;
  return pino(
    {
      level: options.level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: scrubLine },
    },
    options.pretty ? prettyStream(out) : out,
  );
}

const COLOURS: Record<string, string> = {
  warn: "\x1b[33m",
  error: "\x1b[31m",
  fatal: "\x1b[31m",
  debug: "\x1b[2m",
};

function prettyStream(out: DestinationStream): DestinationStream {
  return {
    write(line: string) {
      const { time, level, message, err, ...rest } = JSON.parse(line);
      const details = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
      const stack = err?.stack ? `\n${err.stack}` : "";
      const colour = COLOURS[level] ?? "";
      out.write(
        `\x1b[2m${String(time).slice(11, 23)}\x1b[0m ${colour}${String(level).padEnd(5)} ${message ?? ""}\x1b[0m` +
          `\x1b[2m${details.join("")}\x1b[0m${stack}\n`,
      );
    },
  };
}
