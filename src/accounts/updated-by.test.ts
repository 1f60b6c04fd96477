import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

const TABLES =
  "accounts|api_keys|users|lists|fields|segments|subscribers|transports|campaigns|mailboxes|domains|templates|sections|automations";
const WRITES = new RegExp(String.raw`\b(?:update|insert into) (?:${TABLES})\b[^\x60;]*`, "g");

test("every statement that sets updated_at of these tables says who changed the row", () => {
  const statements = globSync("src/**/*.ts", { exclude: ["**/*.test.ts", "**/*.fixture.ts"] }).flatMap(
    (file) => [...readFileSync(file, "utf8").matchAll(WRITES)].map(([text]) => ({ file, text })),
  );
  assert.ok(statements.length > 20, `${statements.length} statements`);
  const unsigned = statements.filter(
    ({ text }) => /\bupdated_at\b/.test(text) && !/signedBy|signedColumns|updated_by/.test(text),
  );
  assert.deepEqual(unsigned, []);
});
