import { test } from "node:test";
import { terminateProgram } from "../../faults/program.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("the program that sends, ended by SIGTERM in mid-send, loses, doubles and wonders about nobody", () =>
  assertHolds(terminateProgram(shortSetting, { people: 2_000, times: 2 })));
