/** What a command of `npm run postrider -- …` is, and what it is run with. */
import type { Clock } from "../platform/clock.ts";
import type { LoadedConfig } from "../platform/config/load.ts";
import type { Log } from "../platform/log.ts";

export type Command = {
  readonly name: string;
  readonly summary: string;
  /** The argument that follows the name, such as FILE, as `help` shows it. */
  readonly takes?: string;
  readonly options: Readonly<Record<string, { type: "string" | "boolean"; meaning: string }>>;
  readonly run: (call: CommandCall) => Promise<void>;
};

export type CommandCall = {
  readonly loaded: LoadedConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly words: readonly string[];
  /** Prints the result to standard output, where a script can take it. Everything else goes to standard error. */
  readonly print: (text: string) => void;
};
