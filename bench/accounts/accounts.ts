import type { Bench } from "../harness/bench.ts";
import { enumerationFigures } from "./enumeration.ts";
import { sessionFigures } from "./sessions.ts";

export const accountsBench: Bench = {
  name: "accounts",
  summary: "requests by a session against requests by a key; what the time of an answer tells of an address",
  parts: ["sessions", "enumeration"],
  async *run(setting) {
    if (setting.part !== "enumeration") yield* sessionFigures(setting);
    if (setting.part !== "sessions") yield* enumerationFigures(setting);
  },
};
