import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

test("without python3 the mime scorer says so and gives no figure, whether there are corpora or not", () => {
  const program = join(import.meta.dirname, "run.ts");
  for (const corpora of ["", import.meta.dirname]) {
    const env = { PATH: "", CORPORA: corpora };
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, "mime", "--json"], {
      encoding: "utf8",
      env,
    });
    assert.deepEqual([stdout, status], ["[]\n", 0]);
    assert.match(stderr, /^ *mime: no python3 on this machine/);
  }
});
