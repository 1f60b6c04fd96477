import type { Mailed } from "../delivery/delivery.ts";
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/db/db.ts";
import type { Log } from "../platform/log.ts";
import type { PageWords } from "../public-pages/public-pages.ts";

export type PageTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly pageWords: PageWords;
  /** The ids by which events name what a source belongs to. */
  readonly idsInEvents: (source: Mailed) => Readonly<Record<string, string>>;
};
