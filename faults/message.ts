/** Composes the message of every fault, with the same 2 to 10 KB for the same recipient. */
import { type Compose, composeSimply } from "../test/support/delivery.ts";

const LINE = "What we did this month, and what we will do in the next one, in some words.\r\n";

export const composeMessage: Compose = async (source) => {
  const composeMany = await composeSimply(source);
  const { lines = 0 } = source.revision as { lines?: number };
  return async (recipients) =>
    (await composeMany(recipients)).map((composed, n) => {
      if (!composed.ok) return composed;
      const more = LINE.repeat(lines || 25 + (((recipients[n]?.email.length ?? 0) * 13) % 100));
      return { ...composed, message: Buffer.concat([composed.message, Buffer.from(more)]) };
    });
};
