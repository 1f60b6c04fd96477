/** This file proposes a custom field for a column that means nothing to us yet. It is pure. */
import { readAnswer } from "./answers.ts";
import { type DateOrder, readDate } from "./times.ts";

export type ProposedField = {
  readonly key: string;
  readonly name: string;
  readonly type: "text" | "number" | "date" | "boolean";
};

/** Returns undefined where no key can be made of the heading. A key that is taken gets a number behind it. */
export function proposeField(
  heading: string,
  cells: readonly string[],
  order: DateOrder,
  taken: ReadonlySet<string>,
): ProposedField | undefined {
  const name = heading
    .replace(/^fields\./i, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 100);
  const slug = fieldKeyOf(name);
  if (slug === "") return undefined;
  let key = slug;
  for (let again = 2; taken.has(key); again++) key = `${slug}_${again}`;
  return { key, name, type: typeOf(cells, order) };
}

/** Makes a key of a heading or of a path in JSON; it is empty where nothing of it can stand in a key. */
export function fieldKeyOf(text: string): string {
  return text
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^[_0-9]+|_+$/g, "")
    .slice(0, 60);
}

/** A number with a leading zero or plus is a postcode or a telephone number, and would lose it. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

function typeOf(cells: readonly string[], order: DateOrder): ProposedField["type"] {
  const filled = cells.filter((cell) => cell !== "");
  if (filled.length === 0) return "text";
  if (filled.every((cell) => NUMBER.test(cell))) return "number";
  if (filled.every((cell) => readAnswer(cell) !== undefined)) return "boolean";
  return filled.every((cell) => readDate(cell, order) !== undefined) ? "date" : "text";
}
