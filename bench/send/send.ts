/** Measures the product's main promise: a campaign is sent as fast as SMTP allows, with every mail in the ledger. */
import type { Bench } from "../harness/bench.ts";
import { besideFigure } from "./beside.ts";
import { firstFigures } from "./first.ts";
import { journalFigures } from "./journal.ts";
import { linksFigure } from "./links.ts";
import { manyFigure } from "./many.ts";
import { fillDatabase } from "./service.ts";
import { speedFigures } from "./speed.ts";
import { tarpitFigures } from "./tarpit.ts";

const SMALL = 10_000;

export const sendBench: Bench = {
  name: "send",
  summary:
    "a campaign of a tenth of --rows against bare clients; Liquid in its links; the first mail and memory at --rows; two senders; a tarpit; the API beside it",
  parts: ["speed", "links", "beside", "many", "tarpit", "journal", "first"],
  async *run(setting) {
    const { rows } = setting.sizes;
    const has = (...parts: string[]) => !setting.part || parts.includes(setting.part);
    if (has("speed", "links", "beside", "many")) {
      const database = await fillDatabase(setting, "send", Math.ceil(rows / 10));
      if (has("speed")) yield* speedFigures(setting, database);
      if (has("links")) yield await linksFigure(setting, database);
      if (has("beside")) yield await besideFigure(setting, database);
      if (has("many")) yield await manyFigure(setting, database);
    }
    if (has("tarpit")) yield* tarpitFigures(setting);
    if (has("first")) {
      const small = await fillDatabase(setting, "send_small", SMALL);
      yield* firstFigures(setting, small, await fillDatabase(setting, "send_large", rows));
    }
    // This part comes last, because the server analyses nothing from then on.
    if (has("journal")) yield* journalFigures(setting);
  },
};
