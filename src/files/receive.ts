/** An upload, read into memory and made an image. How much memory all of them together take is bounded here. */
import { hash } from "node:crypto";
import { createConcurrencyLimit } from "../platform/concurrency-limit.ts";
import type { UploadedFile } from "../platform/http/route.ts";
import { type MadeImage, makeImage } from "./images.ts";
import { tooBusy } from "./problems.ts";

/** Two images of the dearest kind take 700 MB and two of the four threads that passwords, files and DNS share. */
const AT_ONCE = 2;
const MOST_WAITING = 16;
/** Of uploads that are arriving or wait for their turn. */
const MOST_HELD_BYTES = 128 * 1_048_576;
const MOST_OF_ACCOUNT = 8;

export type Received = { readonly name: string; readonly image: MadeImage; readonly sha256: string };
export type Receive = (accountId: string, file: UploadedFile) => Promise<Received>;

export function createReceive(limits = { atOnce: AT_ONCE, mostWaiting: MOST_WAITING }): Receive {
  const inTurn = createConcurrencyLimit({
    ...limits,
    refuse: () => tooBusy("too many images are being decoded at this moment"),
  });
  const byAccount = new Map<string, number>();
  let heldBytes = 0;

  /** Counted by what has arrived: who sends slowly takes little from others. */
  async function readWhole(chunks: AsyncIterable<Buffer>, hold: (bytes: number) => void): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const chunk of chunks) {
      hold(chunk.length);
      parts.push(chunk);
    }
    return Buffer.concat(parts);
  }

  return async (accountId, file) => {
    const others = byAccount.get(accountId) ?? 0;
    if (others >= MOST_OF_ACCOUNT) throw tooBusy(`this account is uploading ${others} files already`);
    byAccount.set(accountId, others + 1);
    let held = 0;
    const hold = (bytes: number) => {
      if (heldBytes + bytes > MOST_HELD_BYTES) throw tooBusy("too many files are arriving at this moment");
      held += bytes;
      heldBytes += bytes;
    };
    try {
      const upload = await readWhole(file.chunks, hold);
      const image = await inTurn(() => makeImage(upload));
      return { name: showableName(file.name, image), image, sha256: hash("sha256", upload) };
    } finally {
      heldBytes -= held;
      const left = (byAccount.get(accountId) ?? 1) - 1;
      if (left > 0) byAccount.set(accountId, left);
      else byAccount.delete(accountId);
    }
  };
}

const LONGEST_NAME = 200;

/** Without control characters and those that turn the direction of a text around, since it is shown to people. */
function showableName(name: string, { contentType }: MadeImage): string {
  const shown = name
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\uFFFD]/gu, "")
    .trim();
  const cut = [...shown].slice(0, LONGEST_NAME).join("");
  return cut === "" ? `image.${contentType.slice("image/".length)}` : cut;
}
