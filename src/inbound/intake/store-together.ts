/** Stores mails that come at the same time, by whatever connections, in one transaction, since that costs more than a mail. */
import { createConcurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { Db } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { createGroupCommit } from "../../platform/group-commit.ts";
import type { NewInboundItem } from "../types.ts";
import { type StoreTools, storeInbound } from "./store-inbound.ts";

/** While PostgreSQL writes one group, the next is sealed. */
const WRITERS = 2;
const MOST_IN_A_GROUP = 100;
/** A mail from this size on is stored by itself, so that no statement becomes huge. */
const LARGE_BYTES = 128 * 1_024;
const LARGE_AT_ONCE = 2;
const LARGE_WAITING = 50;

type Batch = readonly NewInboundItem[];

/** Returns what resolves once the mails are durable. A mail whose fate is unknown is sent again, and is stored once. */
export function createTogetherStore(
  tools: StoreTools & { readonly db: Db },
): (items: Batch) => Promise<void> {
  const storeAll = (items: Batch) =>
    tools.db.transaction(async (tx) => {
      await storeInbound(tx, tools, items);
    });
  const writers = Array.from({ length: WRITERS }, () => ({
    underWay: 0,
    ...createGroupCommit<Batch, void>(
      async (batches) => {
        await storeAll(batches.flat());
        return batches.map(() => undefined);
      },
      { most: MOST_IN_A_GROUP },
    ),
  }));
  const limited = createConcurrencyLimit({
    atOnce: LARGE_AT_ONCE,
    mostWaiting: LARGE_WAITING,
    refuse: () => new DbError("busy", "too many large mails are under way"),
  });
  return (items) => {
    if (items.some(({ raw }) => raw.length >= LARGE_BYTES)) return limited(() => storeAll(items));
    const writer = writers.reduce((least, one) => (one.underWay < least.underWay ? one : least));
    writer.underWay++;
    return writer.add(items).finally(() => writer.underWay--);
  };
}
