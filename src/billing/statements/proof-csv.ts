/** Writes a proof as a table, a source a line. */
import { csvLine } from "../../platform/csv.ts";
import type { ProofSource } from "./schema.ts";

const COLUMNS = ["kind", "stream", "id", "name", "accepted", "sent_in_all", "late_of"] as const;

export function* proofLines(sources: readonly ProofSource[]): Generator<string> {
  yield csvLine([...COLUMNS]);
  for (const source of sources) yield csvLine(COLUMNS.map((column) => String(source[column] ?? "")));
}
