import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { userAgentScorer } from "./user-agents.ts";

test("the scorer counts instances without the image proxies, and names what went another way", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-user-agents-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const person = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0";
  const path = join(folder, "crawlers.json");
  const crawlers = [
    { pattern: "ExampleBot", instances: ["ExampleBot/1.0", "ExampleBot/2.0"] },
    { pattern: "Disguised", instances: [person] },
    { pattern: "YahooMailProxy", instances: ["YahooMailProxy"] },
    { pattern: "Nameless" },
  ];
  writeFileSync(path, JSON.stringify(crawlers));

  const { figures, details } = await userAgentScorer.score(path);
  const ours = Object.fromEntries(figures.map((figure) => [figure.name, figure.ours]));
  assert.deepEqual(ours, {
    "user-agents.crawlers": 66.66,
    "user-agents.mail_clients_left_alone": 100,
    "user-agents.browsers_left_alone": 100,
  });
  assert.ok(details.includes(`told as a person: ${person}`));
});
