/** Measures what comes back from mail: clicks, a flood of them, a million counted, and unsubscribes beside a send. */
import type { Bench } from "../harness/bench.ts";
import { clickFigures } from "./clicks.ts";
import { floodFigures } from "./flood.ts";
import { countMillion } from "./million.ts";
import { unsubscribeFigure } from "./unsubscribes.ts";

export const trackingBench: Bench = {
  name: "tracking",
  summary:
    "clicks, stored before they are answered, against a bare redirect; a million on one link; a million counted; unsubscribes " +
    "beside a send",
  parts: ["clicks", "flood", "million", "unsubscribes"],
  async *run(setting) {
    const has = (part: string) => !setting.part || setting.part === part;
    if (has("clicks")) yield* clickFigures(setting);
    if (has("flood")) yield* floodFigures(setting);
    if (has("million")) yield* countMillion(setting);
    if (has("unsubscribes")) yield await unsubscribeFigure(setting);
  },
};
