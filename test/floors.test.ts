import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findFloorFaults } from "../tools/floors.ts";

const root = join(import.meta.dirname, "..");

function faultsOf(files: Record<string, string>, dependencies: string[] = []): string[] {
  return findFloorFaults({ sources: new Map(Object.entries(files)), dependencies: new Set(dependencies) });
}

/** Checks a tree of one import and its target, which is empty. */
function faultsOfImport(from: string, to: string): string[] {
  const up = "../".repeat(from.split("/").length - 1) || "./";
  return faultsOf({ [from]: `import { x } from "${up}${to}";`, [to]: "export const x = 1;" });
}

describe("the floors", () => {
  it("hold in this repository", () => {
    const files = globSync("{src,test,tools,bench,faults,dashboard,sdk}/**/*.{ts,tsx}", {
      cwd: root,
      exclude: ["**/node_modules/**", "**/dist/**"],
    });
    const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const faults = findFloorFaults({ sources, dependencies: new Set(Object.keys(manifest.dependencies)) });
    assert.ok(sources.size > 0);
    assert.deepEqual(faults, []);
  });

  const allowed = [
    ["src/campaigns/campaigns.ts", "src/campaigns/store.ts", "its own folder"],
    ["src/campaigns/stats/stats.ts", "src/campaigns/status.ts", "what stands beside the rooms, from a room"],
    ["src/delivery/sending/send.ts", "src/delivery/ledger/ledger.ts", "the face of a room below"],
    ["src/delivery/sending/send.ts", "src/delivery/transports/schema.ts", "the schema of a room below"],
    ["src/delivery/sending/send.ts", "src/delivery/sending/sender.ts", "its own room"],
    ["src/delivery/delivery.ts", "src/delivery/ledger/ledger.ts", "the face of a room, from beside it"],
    ["src/delivery/routes.ts", "src/delivery/transports/routes.ts", "the routes of a room, from routes"],
    ["src/accounts/users/routes.ts", "src/accounts/sessions/sessions.ts", "a higher room, from routes"],
    [
      "src/delivery/reports/mails.test.ts",
      "src/delivery/planning/plan.ts",
      "any room of its folder, from a test",
    ],
    ["src/cli/commands.ts", "src/app.ts", "a file directly in src/, from the command line"],
    ["src/campaigns/campaigns.ts", "src/delivery/delivery.ts", "a face below"],
    ["src/campaigns/schema.ts", "src/subscribers/schema.ts", "a schema below"],
    ["src/accounts/accounts.ts", "src/events/events.ts", "events, from accounts"],
    ["src/delivery/lease.ts", "src/platform/db/transaction.ts", "any file of platform/"],
    ["src/delivery/lease.ts", "src/mail/smtp/client.ts", "any file of mail/"],
    ["src/roles/api.ts", "src/campaigns/routes.ts", "routes, from roles/"],
    ["src/roles/jobs.ts", "src/campaigns/jobs.ts", "jobs, from roles/"],
    ["src/roles/api.ts", "src/accounts/problems.ts", "problems, from roles/"],
    ["src/main.ts", "src/roles/api.ts", "a role, from main.ts"],
    ["src/main.ts", "src/app.ts", "its neighbour directly in src/"],
    ["src/main.ts", "package.json", "the manifest"],
    ["src/accounts/keys.test.ts", "test/support/database.ts", "test/support/, from a test"],
    ["test/flows/first-start.test.ts", "src/accounts/store.ts", "anything, from test/"],
    ["dashboard/app.tsx", "sdk/client.ts", "the SDK, from the dashboard"],
  ] as const;
  for (const [from, to, what] of allowed) {
    it(`let a file import ${what}`, () => assert.deepEqual(faultsOfImport(from, to), []));
  }

  const forbidden = [
    ["src/accounts/accounts.ts", "src/campaigns/campaigns.ts", /floor 7, above floor 2/, "a higher floor"],
    ["src/events/events.ts", "src/accounts/accounts.ts", /floor 2, above floor 1/, "accounts, from events"],
    ["src/platform/db.ts", "src/events/events.ts", /above floor 0/, "anything above, from platform/"],
    ["src/roles/api.ts", "src/app.ts", /floor 11/, "a file directly in src/, from a folder"],
    ["src/content/content.ts", "src/domains/schema.ts", /neighbours on floor 3/, "a neighbour"],
    ["src/mail/dkim.ts", "src/platform/clock.ts", /neighbours on floor 0/, "platform/, from mail/"],
    ["src/campaigns/campaigns.ts", "src/delivery/store.ts", /delivery\/delivery\.ts/, "behind a face"],
    ["src/campaigns/campaigns.ts", "src/delivery/ledger/schema.ts", /its face/, "a schema deep in a folder"],
    [
      "src/delivery/sending/send.ts",
      "src/delivery/ledger/journal.ts",
      /ledger\/ledger\.ts/,
      "behind a room's face",
    ],
    [
      "src/delivery/delivery.ts",
      "src/delivery/ledger/journal.ts",
      /its face/,
      "behind it, from beside the rooms",
    ],
    ["src/delivery/ledger/journal.ts", "src/delivery/sending/sending.ts", /above floor 2/, "a higher room"],
    [
      "src/accounts/visits/visits.ts",
      "src/accounts/invitations/invitations.ts",
      /neighbours on floor 3/,
      "a neighbouring room",
    ],
    [
      "src/delivery/delivery.ts",
      "src/delivery/transports/routes.ts",
      /its face/,
      "a room's routes, from no routes",
    ],
    ["src/main.ts", "src/cli/cli.ts", /above floor 12/, "the command line, from a file directly in src/"],
    ["src/campaigns/campaigns.ts", "src/accounts/routes.ts", /its face/, "routes, from outside roles/"],
    ["src/app.ts", "src/campaigns/jobs.ts", /its face/, "jobs, from directly in src/"],
    ["src/campaigns/status.test.ts", "src/delivery/store.ts", /its face/, "behind a face, from a test"],
    ["src/platform/ids.ts", "test/support/database.ts", /outside src/, "test/support/, from no test"],
    ["src/platform/ids.test.ts", "test/run.ts", /outside src/, "the rest of test/, from a test"],
    ["src/main.ts", "tools/check.ts", /outside src/, "tools/"],
    ["src/main.ts", "bench/wire.ts", /outside src/, "bench/"],
    ["dashboard/pages/home.tsx", "src/accounts/schema.ts", /only the HTTP API/, "src/, from dashboard/"],
    ["sdk/client.ts", "src/accounts/schema.ts", /only the HTTP API/, "src/, from sdk/"],
  ] as const;
  for (const [from, to, why, what] of forbidden) {
    it(`forbid importing ${what}`, () => {
      const [fault = "", ...others] = faultsOfImport(from, to);
      assert.ok(fault.startsWith(`${from}:1 imports ${to}: `), fault);
      assert.match(fault, why);
      assert.deepEqual(others, []);
    });
  }

  const ways = {
    "a static import": `import { x } from "../roles/api.ts";`,
    "a type-only import": `import type { X } from "../roles/api.ts";`,
    "an import for its effects": `import "../roles/api.ts";`,
    "a re-export": `export { x } from "../roles/api.ts";`,
    "a re-export of all": `export * from "../roles/api.ts";`,
    "a dynamic import": `export const load = () => import("../roles/api.ts");`,
    "a dynamic import of a template": "export const load = () => import(`../roles/api.ts`);",
    "an import inside a type": `export type X = import("../roles/api.ts").X;`,
    "a worker's file": `new Worker(new URL("../roles/api.ts", import.meta.url));`,
  };
  for (const [way, source] of Object.entries(ways)) {
    it(`see ${way}`, () => {
      const [fault = "", ...others] = faultsOf({ "src/platform/log.ts": `// one\n${source}` });
      assert.match(fault, /^src\/platform\/log\.ts:2 imports src\/roles\/api\.ts/);
      assert.deepEqual(others, []);
    });
  }

  it("do not mistake a comment, a string or a URL for an import", () => {
    const source = [
      `// import { x } from "../roles/api.ts";`,
      `export const text = 'import { x } from "../roles/api.ts"';`,
      `export const folder = new URL("../../migrations/", import.meta.url);`,
    ].join("\n");
    assert.deepEqual(faultsOf({ "src/platform/log.ts": source }), []);
  });

  it("forbid a computed import, because nothing can check it", () => {
    const [fault] = faultsOf({ "src/main.ts": "export const load = (name: string) => import(name);" });
    assert.match(fault ?? "", /^src\/main\.ts:1 imports a computed path/);
  });

  it("ask for a floor for a new folder", () => {
    const faults = faultsOf({ "src/surveys/surveys.ts": "export const x = 1;", "src/surveys/store.ts": "" });
    assert.deepEqual(faults, ["src/surveys/ stands on no floor: give it one in tools/floors.ts"]);
  });

  it("ask for a floor for a new room of a folder that has rooms", () => {
    const faults = faultsOf({ "src/delivery/queues/queues.ts": "export const x = 1;" });
    assert.deepEqual(faults, ["src/delivery/queues/ stands on no floor: give it one in tools/floors.ts"]);
  });

  it("find an import cycle, also one made of types", () => {
    const faults = faultsOf({
      "src/mail/a.ts": `import { b } from "./b.ts"; export const a = b;`,
      "src/mail/b.ts": `import type { C } from "./c.ts"; export const b: C = 1;`,
      "src/mail/c.ts": `export type { A as C } from "./a.ts";`,
      "src/mail/d.ts": `import { a } from "./a.ts"; export const d = a;`,
    });
    assert.deepEqual(faults, ["import cycle: src/mail/a.ts → src/mail/b.ts → src/mail/c.ts → src/mail/a.ts"]);
  });

  it("want every package that src/ uses in dependencies", () => {
    const files = {
      "src/platform/db.ts": `import { Pool } from "pg"; import { x } from "@fastify/helmet/types.js";`,
      "src/platform/clock.ts": `import { setTimeout } from "node:timers/promises";`,
      "src/platform/db.test.ts": `import fc from "fast-check";`,
      "tools/check.ts": `import { parse } from "oxc-parser";`,
    };
    assert.deepEqual(faultsOf(files, ["pg", "@fastify/helmet"]), []);
    assert.deepEqual(faultsOf(files, ["pg"]), [
      `src/platform/db.ts:1 imports @fastify/helmet/types.js: @fastify/helmet is not in "dependencies" of package.json`,
    ]);
  });
});
