/** The locales of an installation: those shipped, and those that its operator put into a folder. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalLocale } from "../../platform/locale.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { fr } from "./fr.ts";
import { faultOf, type Texts, toWords, type Words, withTexts } from "./words.ts";

/** Words by language tag. English is always among them. */
export type Locales = ReadonlyMap<string, Words>;

export const english: Words = toWords(en);

export const shippedLocales: Locales = new Map([
  ["en", english],
  ["de", toWords(de)],
  ["fr", toWords(fr)],
]);

/**
 * Each file is called by its language, such as `pt-BR.json`, and holds texts by their keys, with `direction` where the language is
 * written from the right. What it leaves out is as shipped, or English. Throws an error that names every fault of every file.
 */
export function readLocales(folder: string | undefined): Locales {
  if (folder === undefined) return shippedLocales;
  const locales = new Map(shippedLocales);
  const faults: string[] = [];
  for (const name of namesIn(folder)) {
    const read = readLocale(join(folder, name), name.slice(0, -".json".length));
    if ("faults" in read) faults.push(...read.faults.map((fault) => `${name}: ${fault}`));
    else locales.set(read.tag, read.words);
  }
  if (faults.length > 0)
    throw new StartupError(
      `PAGE_LOCALES_DIR can't be used:\n${faults.join("\n")}`,
      "mend these files, or take them out of the folder",
    );
  return locales;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch (error) {
    throw new StartupError(
      `PAGE_LOCALES_DIR ${folder} can't be read: ${(error as Error).message}`,
      "name a folder that this process may read",
    );
  }
}

type Read = { readonly tag: string; readonly words: Words } | { readonly faults: readonly string[] };

function readLocale(path: string, name: string): Read {
  const tag = canonicalLocale(name);
  if (tag === undefined) return { faults: ["must be called by a language tag, such as pt-BR.json"] };
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return { faults: [`can't be read: ${(error as Error).message}`] };
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return { faults: ["must be an object of texts by their keys"] };
  }
  const { direction, ...texts } = given as Record<string, unknown>;
  const faults = Object.entries(texts).flatMap(([key, text]) => {
    const fault = faultOf(key, text);
    return fault === undefined ? [] : [`"${key}" ${fault}`];
  });
  if (direction !== undefined && direction !== "ltr" && direction !== "rtl") {
    faults.push(`"direction" must be "ltr" or "rtl"`);
  }
  if (faults.length > 0) return { faults };
  const shipped = shippedLocales.get(tag);
  const words = withTexts(shipped ?? english, texts as Texts);
  const about = {
    lang: shipped?.lang ?? tag,
    direction: (direction as Words["direction"] | undefined) ?? shipped?.direction ?? directionOf(tag),
  };
  return { tag, words: { ...words, ...about } };
}

const FROM_THE_RIGHT = new Set(["Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg"]);

function directionOf(tag: string): "ltr" | "rtl" {
  return FROM_THE_RIGHT.has(new Intl.Locale(tag).maximize().script ?? "") ? "rtl" : "ltr";
}
