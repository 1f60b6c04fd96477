/** `npm run postrider -- …` runs this file, which finds the command and reads its options. */
import { parseArgs } from "node:util";
import { exitWith } from "../exit.ts";
import { systemClock } from "../platform/clock.ts";
import { loadConfig } from "../platform/config/load.ts";
import { createLog } from "../platform/log.ts";
import type { Command } from "./command.ts";
import { commands, usage } from "./commands.ts";

try {
  await main(process.argv.slice(2));
} catch (error) {
  exitWith(error);
}

async function main(args: readonly string[]): Promise<void> {
  if (args.length === 0 || args.some((word) => /^(help|--help|-h)$/.test(word))) {
    process.stdout.write(help());
    return;
  }
  const command = commands.find(({ name }) => name.split(" ").every((word, index) => args[index] === word));
  if (!command) throw unknownCommand(args);
  const { values, words } = readOptions(command, args.slice(command.name.split(" ").length));
  // Standard output is for the result alone. The log is silent unless something is wrong.
  const log = createLog({
    level: "warn",
    pretty: process.stderr.isTTY === true,
    destination: process.stderr,
  });
  await command.run({
    // It is read only when it is asked for: `config` must work on a configuration that other commands refuse.
    get loaded() {
      return loadConfig(process.env);
    },
    clock: systemClock,
    log,
    values,
    words,
    print: (text) => process.stdout.write(text),
  });
}

/** The message names the words before the first option, because those behind it may be the value of an option. */
function unknownCommand(args: readonly string[]): Error {
  const firstOption = args.findIndex((word) => word.startsWith("-"));
  const words = firstOption < 0 ? args : args.slice(0, firstOption);
  return usage(
    words.length > 0 ? `there is no command \`${words.join(" ")}\`` : `a command must come before ${args[0]}`,
  );
}

function readOptions(
  command: Command,
  args: readonly string[],
): { values: Record<string, string | boolean | undefined>; words: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type }]) => [name, { type }]),
  );
  try {
    const allowPositionals = command.takes !== undefined;
    const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals });
    return { values, words: positionals };
  } catch (error) {
    throw usage(`${command.name}: ${(error as Error).message}`);
  }
}

function help(): string {
  const lines = commands.map(({ name, takes, summary, options }) => {
    const described = Object.entries(options).map(
      ([option, { type, meaning }]) => `      --${option}${type === "string" ? " …" : ""}  ${meaning}\n`,
    );
    return `  ${name}${takes ? ` ${takes}` : ""}\n      ${summary}\n${described.join("")}`;
  });
  return `npm run postrider -- COMMAND\n\n${lines.join("\n")}`;
}
