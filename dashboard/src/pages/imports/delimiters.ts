import type { Import } from "../../api/openapi.ts";

type Delimiter = Import["options"]["delimiter"];

const NAMES = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar" } as const;

export const DELIMITERS = Object.keys(NAMES) as readonly Delimiter[];
/** The name by which the words for it are found. */
export const delimiterName = (delimiter: Delimiter) => NAMES[delimiter];
