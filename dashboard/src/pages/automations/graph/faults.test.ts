import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsByPlace } from "./faults.ts";
import { partsOfSpan, readSpan, writeSpan } from "./spans.ts";

const fault = (pointer: string) => ({ pointer, code: "required", detail: "must be given" });
const said = (part: string) => ({ part, code: "required", detail: "must be given" });

test("a fault stands at the step or the part of the draft that its pointer names", () => {
  const found = faultsByPlace(
    [
      "/draft/nodes/hello/subject",
      "/draft/nodes/hello",
      "/draft/nodes/a~1b~0c/ways/0/if",
      "/draft/entry/on/0/tag",
      "/draft/exit/1",
      "/draft/send/window/from",
      "/draft/start",
      "/draft/nodes",
    ].map(fault),
  );
  assert.deepEqual(Object.fromEntries(found), {
    "step:hello": [said("subject"), said("")],
    "step:a/b~c": [said("ways/0/if")],
    entry: [said("on/0/tag")],
    exit: [said("1")],
    send: [said("window/from")],
    draft: [said("start"), said("nodes")],
  });
});

test("a span of one unit is a number with it, and others are told by their parts", () => {
  for (const text of ["P2D", "P1W", "PT12H", "PT90M"]) {
    const span = readSpan(text);
    assert.equal(span && writeSpan(span), text);
  }
  assert.equal(readSpan("P1DT30M"), undefined);
  assert.deepEqual(partsOfSpan("P1DT30M"), [
    { amount: 1, unit: "days" },
    { amount: 30, unit: "minutes" },
  ]);
  assert.deepEqual(partsOfSpan("two days"), []);
});
