/** Measures transactional mail: how fast it is accepted, one by one and in batches, and how soon it is on the wire. */
import type { Bench } from "../harness/bench.ts";
import { acceptFigures } from "./accept.ts";
import { wireFigures } from "./wire.ts";

export const emailsBench: Bench = {
  name: "emails",
  summary:
    "mails accepted a second, alone and by the hundred; the time until they are sent, idle and beside a campaign",
  parts: ["accept", "wire"],
  async *run(setting) {
    const has = (part: string) => !setting.part || setting.part === part;
    if (has("accept")) yield* acceptFigures(setting);
    if (has("wire")) yield* wireFigures(setting);
  },
};
