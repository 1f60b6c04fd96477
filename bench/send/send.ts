/** The promise of the product in figures: a campaign at the speed of the wire with every mail in the ledger. */
import type { Bench } from "../harness/bench.ts";
import { besideFigure } from "./beside.ts";
import { firstFigures } from "./first.ts";
import { journalFigures } from "./journal.ts";
import { manyFigure } from "./many.ts";
import { fillPlace } from "./service.ts";
import { speedFigures } from "./speed.ts";
import { tarpitFigures } from "./tarpit.ts";

const SMALL = 10_000;

export const sendBench: Bench = {
  name: "send",
  summary:
    "a campaign of a tenth of --rows against bare clients; the first mail and memory at --rows; two senders; a tarpit; the API beside it",
  parts: ["speed", "beside", "many", "tarpit", "journal", "first"],
  async *run(setting) {
    const { rows } = setting.sizes;
    const has = (...parts: string[]) => !setting.part || parts.includes(setting.part);
    if (has("speed", "beside", "many")) {
      const place = await fillPlace(setting, "send", Math.ceil(rows / 10));
      if (has("speed")) yield* speedFigures(setting, place);
      if (has("beside")) yield await besideFigure(setting, place);
      if (has("many")) yield await manyFigure(setting, place);
    }
    if (has("tarpit")) yield* tarpitFigures(setting);
    if (has("first")) {
      const small = await fillPlace(setting, "send_small", SMALL);
      yield* firstFigures(setting, small, await fillPlace(setting, "send_large", rows));
    }
    // Last, because the server analyses nothing from then on.
    if (has("journal")) yield* journalFigures(setting);
  },
};
