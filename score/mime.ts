/**
 * Lets Python's email package read what we compose: thousands of random messages, each of which must come out
 * exactly.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { compileMessage, joinMessage } from "../src/mail/mime/mime.ts";
import {
  expectedView,
  type MessageView,
  type RandomMessage,
  randomMessage,
} from "../test/support/messages.ts";
import { percentFigure, type Score, type Scorer } from "./figures.ts";

const MESSAGES = 3_000;
/** The seed is fixed, so that every run has the same messages and a figure can be examined. */
const SEED = 20_260_101;

export const mimeScorer: Scorer = {
  name: "mime",
  summary: "the messages that we compose, read by Python's email package",
  score: scoreMime,
};

type PythonView = MessageView & { readonly defects: readonly string[] };

function scoreMime(): Score {
  if (spawnSync("python3", ["--version"]).status !== 0) {
    return { figures: [], details: ["mime: no python3 on this machine, so nobody has read our messages"] };
  }
  const messages = fc.sample(randomMessage, { numRuns: MESSAGES, seed: SEED });
  const views = readByPython(messages);
  const wrong = messages.flatMap((message, index) =>
    describeDifference(expectedView(message), views[index], index),
  );
  return {
    figures: [
      percentFigure("mime.read_back_by_python", messages.length - wrong.length, messages.length, 100),
    ],
    details: [`${messages.length} random messages`, ...wrong],
  };
}

function readByPython(messages: readonly RandomMessage[]): PythonView[] {
  const lines = messages.map(({ template, copy }) =>
    joinMessage(compileMessage(template), copy).toString("base64"),
  );
  const { stdout, stderr, status } = spawnSync("python3", [join(import.meta.dirname, "mime.py")], {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    maxBuffer: 1024 ** 3,
  });
  if (status !== 0) throw new Error(`score/mime.py failed: ${stderr}`);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Returns one line for a message that was read differently, and none for the others. */
function describeDifference(expected: MessageView, found: PythonView | undefined, index: number): string[] {
  if (found === undefined) return [`#${index}: not read at all`];
  const { defects, ...view } = found;
  if (defects.length > 0) return [`#${index}: ${defects.join(", ")}`];
  const keys = Object.keys(expected) as (keyof MessageView)[];
  const differing = keys.find((key) => !isDeepStrictEqual(view[key], expected[key]));
  if (differing === undefined) return [];
  const show = (value: unknown) => JSON.stringify(value).slice(0, 300);
  return [`#${index} ${differing}: ${show(view[differing])} in place of ${show(expected[differing])}`];
}
