/**
 * Writes the people of the bench as a CSV file and as rows for COPY. They are the same on every run, with addresses
 * in no order.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/platform/clock.ts";
import { newId } from "../../src/platform/ids.ts";
import type { CopyFiles } from "../reference/bare-copy.ts";

const FIRST = ["Ada", "Alan", "Grace", "Edsger", "Barbara", "Donald", "Radia", "Ken"];
const LAST = ["Lovelace", "Turing", "Hopper", "Dijkstra", "Liskov", "Knuth", "Perlman", "Thompson"];

function person(n: number) {
  const mixed = (n * 7_919) % 1_000_003;
  return {
    email: `person${mixed}.${n}@example${n % 97}.com`,
    first: FIRST[n % 8] ?? "",
    last: LAST[mixed % 8] ?? "",
  };
}

/** Starts with the person of the number `from`, so that two files may share nobody. */
export async function writeCsv(folder: string, rows: number, from = 0): Promise<string> {
  const path = join(folder, `${from}-${rows}.csv`);
  await writeLines(path, rows, (n) => {
    const { email, first, last } = person(from + n);
    return `${n === 0 ? "email,first_name,last_name\n" : ""}${email},${first},${last}\n`;
  });
  return path;
}

export async function writeCopyFiles(
  folder: string,
  rows: number,
  into: { accountId: string; listId: string },
): Promise<CopyFiles> {
  const files = {
    contacts: join(folder, "contacts.copy"),
    subscribers: join(folder, "subscribers.copy"),
    consents: join(folder, "consents.copy"),
  };
  const { accountId, listId } = into;
  const now = new Date().toISOString();
  const ids = Array.from({ length: rows }, () => [newId(systemClock), newId(systemClock)] as const);
  const idsOf = (n: number) => ids[n] ?? ["", ""];
  const line = (...cells: string[]) => `${cells.join("\t")}\n`;
  await writeLines(files.contacts, rows, (n) => {
    const hash = createHash("sha256").update(person(n).email).digest("hex").slice(0, 32);
    return line(accountId, idsOf(n)[1], `\\\\x${hash}`, now);
  });
  await writeLines(files.subscribers, rows, (n) => {
    const { email, first, last } = person(n);
    const [id, contactId] = idsOf(n);
    return line(
      accountId,
      id,
      listId,
      contactId,
      email,
      email,
      first,
      last,
      "{}",
      "active",
      "copy",
      now,
      now,
    );
  });
  await writeLines(files.consents, rows, (n) => {
    const [id] = idsOf(n);
    return line(accountId, id, id, "granted", "f", "copy", "system", now);
  });
  return files;
}

async function writeLines(path: string, rows: number, lineOf: (n: number) => string): Promise<void> {
  const file = createWriteStream(path);
  let chunk = "";
  for (let n = 0; n < rows; n++) {
    chunk += lineOf(n);
    if (chunk.length < 1_000_000 && n < rows - 1) continue;
    if (!file.write(chunk)) await once(file, "drain");
    chunk = "";
  }
  file.end();
  await once(file, "finish");
}
