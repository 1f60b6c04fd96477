import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nameBrowser } from "./browser-name.ts";

const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

describe("the name of a browser", () => {
  for (const [agent, name] of [
    [`${WINDOWS} ${CHROME}`, "Chrome · Windows"],
    [`${WINDOWS} ${CHROME} Edg/140.0.0.0`, "Edge · Windows"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox · Linux"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1",
      "Safari · iPhone",
    ],
    [
      "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
      "Chrome · Android",
    ],
    ["curl/8.14.1", "curl"],
    ["", undefined],
    ["<script>", undefined],
  ] as const) {
    it(`of ${agent.slice(0, 60) || "nothing"} is ${name}`, () => {
      assert.equal(nameBrowser(agent), name);
    });
  }
});
