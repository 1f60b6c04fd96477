import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkMessage } from "../checks/checks.ts";
import { type Finding, listStarters } from "../content.ts";
import { composeStarter, htmlOf } from "./starters.fixture.ts";

const starters = listStarters();

function isAboutClients({ code, severity }: Finding): boolean {
  return severity === "info" && code === "unsupported_feature";
}

test("there are six starters, each with a name of its own", () => {
  assert.deepEqual(
    starters.map(({ id }) => id),
    ["letter", "newsletter", "announcement", "digest", "catalogue", "receipt"],
  );
});

for (const starter of starters) {
  describe(starter.name, () => {
    test("passes every check; what it says of clients is only information", async () => {
      const findings = await checkMessage(await composeStarter(starter));
      assert.deepEqual(
        findings.filter((finding) => !isAboutClients(finding)),
        [],
      );
    });

    test("greets a subscriber without a name as it should", async () => {
      const findings = await checkMessage(await composeStarter(starter, { first_name: "" }));
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== "info"),
        [],
      );
    });

    test("is small, states its language, and asks for nothing from elsewhere", async () => {
      const html = await htmlOf(starter);
      assert.ok(Buffer.byteLength(html) < 30 * 1024);
      assert.match(html, /<html lang="en"/);
      assert.doesNotMatch(html, /src=|url\(|@import|<link/);
    });

    test("knows the dark, and says so to clients that ask", async () => {
      const html = await htmlOf(starter);
      assert.match(html, /<meta name="color-scheme" content="light dark">/);
      assert.match(html, /@media \(prefers-color-scheme: ?dark\)/);
    });

    test("tells screen readers which tables are layout", async () => {
      const tables = (await htmlOf(starter)).match(/<table[^>]*>/g) ?? [];
      const data = tables.filter((table) => !table.includes('role="presentation"'));
      assert.equal(data.length, starter.id === "receipt" ? 1 : 0);
    });
  });
}
