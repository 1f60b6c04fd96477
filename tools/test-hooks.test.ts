import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("no file beside the code has a hook for each test outside a suite, since its process runs it for every file", () => {
  const files = globSync("{src,dashboard/src}/**/*.test.ts");
  assert.ok(files.length > 0);
  const wrong = files.filter((file) => /^(before|after)Each\(/m.test(readFileSync(file, "utf8")));
  assert.deepEqual(wrong, []);
});
