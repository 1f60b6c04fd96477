import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Stream } from "../types.ts";
import { chooseTransport } from "./choose-transport.ts";

/** The transports that the account has, each named by its stream; `null` stands for the instance's server or the sandbox. */
const table: readonly [
  own: readonly Stream[],
  hasInstanceServer: boolean,
  expected: Record<Stream, Stream | null>,
][] = [
  [[], true, { campaign: null, transactional: null, automation: null }],
  [[], false, { campaign: null, transactional: null, automation: null }],
  [["campaign"], true, { campaign: "campaign", transactional: "campaign", automation: "campaign" }],
  [["campaign"], false, { campaign: "campaign", transactional: "campaign", automation: "campaign" }],
  [["transactional"], true, { campaign: null, transactional: "transactional", automation: null }],
  [
    ["transactional"],
    false,
    { campaign: "transactional", transactional: "transactional", automation: "transactional" },
  ],
  [["automation"], true, { campaign: null, transactional: null, automation: "automation" }],
  [["automation"], false, { campaign: "automation", transactional: "automation", automation: "automation" }],
  [
    ["campaign", "transactional"],
    false,
    { campaign: "campaign", transactional: "transactional", automation: "campaign" },
  ],
  [
    ["transactional", "automation"],
    true,
    { campaign: null, transactional: "transactional", automation: "automation" },
  ],
  [
    ["transactional", "automation"],
    false,
    { campaign: "transactional", transactional: "transactional", automation: "automation" },
  ],
  [
    ["campaign", "transactional", "automation"],
    true,
    { campaign: "campaign", transactional: "transactional", automation: "automation" },
  ],
];

describe("which transport a stream leaves by", () => {
  for (const [streams, hasInstanceServer, expected] of table) {
    const own = Object.fromEntries(streams.map((stream) => [stream, stream]));
    const name = `of ${streams.join(", ") || "none"}, ${hasInstanceServer ? "with" : "without"} the instance's server`;
    it(name, () => {
      for (const [stream, chosen] of Object.entries(expected)) {
        assert.equal(chooseTransport(stream as Stream, own, hasInstanceServer) ?? null, chosen, stream);
      }
    });
  }
});
