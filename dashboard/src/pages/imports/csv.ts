/** Reads CSV as the service writes it: commas, quotation marks doubled, any line end. */
export function createCsvReader(onRow: (cells: readonly string[]) => void): {
  push(text: string): void;
  end(): void;
} {
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  /** The character before was a quotation mark inside a quoted cell: it ends the cell unless another follows. */
  let mayEnd = false;
  let before = "";
  const endCell = () => {
    cells.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (cells.length > 1 || cells[0] !== "") onRow(cells);
    cells = [];
  };
  const read = (character: string) => {
    if (mayEnd) {
      mayEnd = false;
      if (character === '"') {
        cell += '"';
        return;
      }
      isQuoted = false;
    }
    if (isQuoted) {
      if (character === '"') mayEnd = true;
      else cell += character;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === ",") endCell();
    else if (character === "\n" && before === "\r") return;
    else if (character === "\n" || character === "\r") endRow();
    else cell += character;
  };
  return {
    push(text) {
      for (const character of text) {
        read(character);
        before = character;
      }
    },
    end() {
      if (cell !== "" || cells.length > 0) endRow();
    },
  };
}
