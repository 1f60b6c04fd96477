import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { StartupError } from "../../startup-error.ts";
import { explainFileError, explainServerFailure } from "./failures.ts";

const CASES: [said: string, problem: RegExp][] = [
  [
    'FATAL:  could not write to file "pg_wal/xlogtemp.9": No space left on device',
    /no space left on the disk \(\d/,
  ],
  [
    'FATAL:  could not resize shared memory segment "/PostgreSQL.1": No space left on device',
    /shared memory/,
  ],
  ["FATAL:  could not map anonymous shared memory: Cannot allocate memory", /enough memory/],
  ["initdb: could not look up effective user ID 4242: user does not exist", /no entry in \/etc\/passwd/],
  ['FATAL:  data directory "/x" has wrong ownership', /owner or mode/],
  ['FATAL:  could not open file "PG_VERSION": Permission denied', /permission was denied/],
  ["PANIC:  could not locate a valid checkpoint record at 0/1", /damaged/],
  ["FATAL:  something new", /PostgreSQL said: FATAL: {2}something new/],
];

for (const [said, problem] of CASES) {
  test(`explains “${said}”`, () => {
    const error = explainServerFailure("PostgreSQL could not start", tmpdir(), [said]);
    assert.match(error.message, problem);
    assert.ok(error.message.includes(tmpdir()));
    assert.ok(error.remedy);
  });
}

test("a file call that failed for want of space or rights is a StartupError, a bug stays a bug", () => {
  const failed = (code: string) => Object.assign(new Error(code), { code, path: "/some/where" });
  for (const code of ["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "ENOTDIR"]) {
    assert.ok(explainFileError(failed(code), tmpdir()) instanceof StartupError, code);
  }
  const bug = new TypeError("undefined is not a function");
  assert.equal(explainFileError(bug, tmpdir()), bug);
});
