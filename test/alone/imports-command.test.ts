import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Installation, makeInstallation } from "../support/process.ts";
import { until } from "../support/until.ts";

let installation: Installation;
let listId: string;
before(() => {
  installation = makeInstallation();
  writeFileSync(join(installation.folder, "people.csv"), "email,name\nada@example.org,Ada\nnonsense,No\n");
  writeFileSync(join(installation.folder, "more.csv"), "Who;Where\nAlan;alan@example.org\n");
});
after(() => installation.clear());

test("beside a running service, the command hands the file over and waits for its end", async () => {
  const service = installation.start({ via: "node" });
  await service.ready();
  await until(() => /First list/.test(service.stdout()));
  listId = /First list\s+(lst_\S+)/.exec(service.stdout())?.[1] ?? "";
  const ran = await installation.postrider([
    "imports",
    "create",
    join(installation.folder, "people.csv"),
    "--list",
    listId,
    "--tags",
    "a,b",
  ]);
  assert.equal(ran.code, 0, ran.stderr);
  const done = JSON.parse(ran.stdout);
  assert.deepEqual([done.status, done.counts.created, done.counts.failed], ["completed", 1, 1]);
  assert.equal((await service.stop()).code, 0);
});

test("on a stopped one, it imports by itself", async () => {
  const args = [
    "imports",
    "create",
    join(installation.folder, "more.csv"),
    "--list",
    listId,
    "--map",
    "Who=first_name,Where=email",
  ];
  const ran = await installation.postrider(args);
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual([JSON.parse(ran.stdout).status, JSON.parse(ran.stdout).counts.created], ["completed", 1]);
  assert.deepEqual(
    readdirSync(join(installation.dataDir, "uploads"), { recursive: true }).filter((name) =>
      name.includes(".csv"),
    ),
    [],
  );
});

test("what is wrong with the call is said in words", async () => {
  const missing = await installation.postrider([
    "imports",
    "create",
    join(installation.folder, "none.csv"),
    "--list",
    listId,
  ]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /--file can't be read/);
  const unknown = await installation.postrider([
    "imports",
    "create",
    join(installation.folder, "more.csv"),
    "--list",
    "lst_x",
  ]);
  assert.match(unknown.stderr, /--list_id there is no such object/);
});
