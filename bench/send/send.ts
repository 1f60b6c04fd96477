/** The promise of the product in figures: a campaign at the speed of the wire with every mail in the ledger. */
import type { Bench } from "../harness/bench.ts";
import { besideFigure } from "./beside.ts";
import { firstFigures } from "./first.ts";
import { manyFigure } from "./many.ts";
import { fillPlace } from "./service.ts";
import { speedFigures } from "./speed.ts";
import { tarpitFigure } from "./tarpit.ts";

const SMALL = 10_000;

export const sendBench: Bench = {
  name: "send",
  summary:
    "a campaign of a tenth of --rows against bare clients; the first mail and memory at --rows; two senders; a tarpit; the API beside it",
  async *run(setting) {
    const { rows } = setting.sizes;
    const place = await fillPlace(setting, "send", Math.ceil(rows / 10));
    yield* speedFigures(setting, place);
    yield await besideFigure(setting, place);
    yield await manyFigure(setting, place);
    yield await tarpitFigure(setting, place);
    const small = await fillPlace(setting, "send_small", SMALL);
    yield* firstFigures(setting, small, await fillPlace(setting, "send_large", rows));
  },
};
