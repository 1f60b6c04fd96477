/** This file writes CSV (RFC 4180) that a spreadsheet can open without running anything, and that our own import reads back. */

/** A spreadsheet may take a cell that begins so for a formula (OWASP, "CSV injection"). */
const FORMULA = /^[=+\-@\t\r]/;
/** A cell that begins with our own mark would lose it on the way back, so it gets one more. */
const MARKED = /^'+[=+\-@\t\r]/;

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) || MARKED.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Takes off the one mark that `csvLine` put on; everything else stays as it is. */
export function withoutMark(cell: string): string {
  return MARKED.test(cell) ? cell.slice(1) : cell;
}
