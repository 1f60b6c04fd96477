/** Reads the addresses of a header such as To (RFC 5322 §3.4), with their names. It never throws, and goes over the text once. */
import { decodeWords } from "./headers.ts";

export type ListedAddress = { readonly name: string; readonly address: string };

/** Members of a group are listed like others; `undisclosed-recipients:;` lists nobody. */
export function readAddressList(value: string): ListedAddress[] {
  const found: ListedAddress[] = [];
  let text = "";
  let comment = "";
  let inAngles: string | undefined;
  let depth = 0;
  let isQuoted = false;

  const end = () => {
    const words = decodeWords(text.trim());
    if (inAngles !== undefined) found.push({ name: words, address: inAngles.trim() });
    // Old programs write the name behind the address, in parentheses.
    else if (words !== "") found.push({ name: decodeWords(comment.trim()), address: words });
    [text, comment, inAngles] = ["", "", undefined];
  };

  let isInAngles = false;
  for (let at = 0; at < value.length; at++) {
    let sign = value[at] as string;
    const isEscaped = sign === "\\" && (isQuoted || depth > 0);
    if (isEscaped) sign = value[++at] ?? "";
    else if (depth > 0 && sign === "(") depth++;
    else if (depth > 0 && sign === ")") {
      depth--;
      if (depth === 0) continue;
    } else if (depth === 0 && sign === '"' && !isInAngles) {
      isQuoted = !isQuoted;
      continue;
    } else if (depth === 0 && !isQuoted) {
      if (sign === "(") {
        depth = 1;
        continue;
      }
      if (sign === "<" && inAngles === undefined) {
        [inAngles, isInAngles] = ["", true];
        continue;
      }
      if (sign === ">" && isInAngles) {
        isInAngles = false;
        continue;
      }
      if ((sign === "," || sign === ";") && !isInAngles) {
        end();
        continue;
      }
      if (sign === ":" && !isInAngles) {
        // This was the name of a group.
        [text, comment] = ["", ""];
        continue;
      }
    }
    if (depth > 0) comment += sign;
    else if (isInAngles) inAngles += sign;
    else text += sign;
  }
  end();
  return found;
}
