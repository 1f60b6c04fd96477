import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkMessage } from "../checks/checks.ts";
import { type Finding, listStarters } from "../content.ts";
import { composeStarter, htmlOf, WAYS } from "./starters.fixture.ts";

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
  test(`${starter.name} says the same, whichever way it is written`, async () => {
    const [one, other] = await Promise.all(WAYS.map(async (way) => wordsOf(await htmlOf(starter, way))));
    assert.deepEqual(one?.toSorted(), other?.toSorted());
  });
}

for (const [starter, way] of starters.flatMap((one) => WAYS.map((two) => [one, two] as const))) {
  describe(`${starter.name}, ${way}`, () => {
    test("passes every check; what it says of clients is only information", async () => {
      const findings = await checkMessage(await composeStarter(starter, way));
      assert.deepEqual(
        findings.filter((finding) => !isAboutClients(finding)),
        [],
      );
    });

    test("greets a subscriber without a name as it should", async () => {
      const findings = await checkMessage(await composeStarter(starter, way, { first_name: "" }));
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== "info"),
        [],
      );
    });

    test("is small, states its language, and asks for nothing from elsewhere", async () => {
      const html = await htmlOf(starter, way);
      assert.ok(Buffer.byteLength(html) < 30 * 1024);
      assert.match(html, /<html lang="en"/);
      assert.doesNotMatch(html, /src=|url\(|@import|<link/);
    });

    test("knows the dark, and says so to clients that ask", async () => {
      const html = await htmlOf(starter, way);
      assert.match(html, /<meta name="color-scheme" content="light dark">/);
      assert.match(html, /@media \(prefers-color-scheme: ?dark\)/);
    });

    test("tells screen readers which tables are layout", async () => {
      const tables = (await htmlOf(starter, way)).match(/<table[^>]*>/g) ?? [];
      const data = tables.filter((table) => !table.includes('role="presentation"'));
      assert.equal(data.length, starter.id === "receipt" ? 1 : 0);
    });
  });
}

/** The words that a reader sees, in whatever order; those of Liquid stay as they are. */
function wordsOf(html: string): string[] {
  const body = html.replace(/^.*?<body[^>]*>/s, "").replaceAll("| newline_to_br", "");
  const shown = body.replaceAll(/<!--.*?-->|<[^>]*>|&nbsp;/gs, " ");
  return shown.match(/\p{L}{2,}/gu) ?? [];
}
