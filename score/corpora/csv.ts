/** Compares our reading of CSV with csv-spectrum's files, each of which comes with the records that it should become. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readCell } from "../../src/subscribers/imports/reading/cells.ts";
import { findFormat } from "../../src/subscribers/imports/reading/format.ts";
import { readRecords } from "../../src/subscribers/imports/reading/records.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";

export const csvScorer: Scorer = {
  name: "csv",
  summary: "how CSV is read, against csv-spectrum",
  needs: "csv",
  score: scoreCsv,
};

async function scoreCsv(folder: string): Promise<Score> {
  const names = readdirSync(join(folder, "csvs")).filter((name) => name.endsWith(".csv"));
  const wrong: string[] = [];
  const impossible: string[] = [];
  for (const name of names.sort()) {
    const path = join(folder, "csvs", name);
    const expected = JSON.parse(readFileSync(join(folder, "json", `${basename(name, ".csv")}.json`), "utf8"));
    const found = await readObjects(path);
    if (isDeepStrictEqual(found, expected)) continue;
    const absent = cellNotIn(readFileSync(path, "utf8"), expected);
    if (absent === undefined) wrong.push(`${name}: ${JSON.stringify(found).slice(0, 200)}`);
    else impossible.push(`${name}: expects ${JSON.stringify(absent)}, which doesn't stand in the file`);
  }
  const agreed = names.length - wrong.length - impossible.length;
  return {
    figures: [
      percentFigure("csv.agreed_or_argued", names.length - wrong.length, names.length, 100),
      percentFigure("csv.agreed", agreed, names.length, null),
    ],
    details: [`${names.length} files, ${agreed} read as csv-spectrum expects`, ...impossible, ...wrong],
  };
}

/**
 * Returns a cell that the file lacks. A file whose line ends or contents were changed on its way into the corpus
 * can't be read as intended.
 */
function cellNotIn(text: string, expected: unknown): string | undefined {
  const cells = [expected].flat().flatMap((record) => Object.values(record as Record<string, string>));
  return cells.find((cell) => !text.includes(cell) && !text.includes(cell.replaceAll('"', '""')));
}

/** Reads a file with delimiter and encoding detected, as for an upload. */
async function readObjects(path: string): Promise<Record<string, string>[]> {
  const format = findFormat(readFileSync(path), {});
  const rows: string[][] = [];
  await readRecords(path, format, {
    onRecord: (cells) => void rows.push(cells.map((cell) => readCell(cell, format) ?? "")),
    afterChunk: async () => true,
  });
  const [heading = [], ...records] = rows;
  return records.map((cells) => Object.fromEntries(heading.map((name, index) => [name, cells[index] ?? ""])));
}
