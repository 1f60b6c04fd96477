import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, readGraph } from "../graph/draft.ts";
import { differencesOf, isNone } from "./differences.ts";

const BEFORE = {
  start: "hello",
  entry: { on: [{ type: "list_joined" }] },
  nodes: {
    hello: { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "pause" },
    pause: { type: "wait", for: "P2D", next: "ask" },
    ask: {
      type: "branch",
      ways: [{ if: { field: "tag", op: "has", value: "vip" }, next: "end" }],
      else: "end",
    },
    end: { type: "end" },
  },
};
const compare = (after: Json) => differencesOf(readGraph(BEFORE), readGraph(after));

test("the same graph has no differences", () => {
  assert.ok(isNone(compare(structuredClone(BEFORE))));
});

test("a step that came, one that is gone and what of one is otherwise are each told once", () => {
  const { pause: _gone, ...kept } = BEFORE.nodes;
  const found = compare({
    ...BEFORE,
    nodes: {
      ...kept,
      hello: { ...BEFORE.nodes.hello, subject: "Hi", html: "<p>Hi</p>", text: "Hi", next: "tag" },
      tag: { type: "tag", add: ["greeted"], next: "ask" },
    },
  });
  assert.deepEqual(found.steps, [
    {
      id: "hello",
      kind: "changed",
      parts: ["subject", "content"],
      led: [{ key: undefined, before: "pause", after: "tag" }],
    },
    { id: "tag", kind: "added", parts: [], led: [] },
    { id: "pause", kind: "removed", parts: [], led: [] },
  ]);
});

test("a way that leads elsewhere isn't another rule, and another rule leads nowhere else", () => {
  const ask = BEFORE.nodes.ask;
  const led = compare({
    ...BEFORE,
    nodes: { ...BEFORE.nodes, ask: { ...ask, ways: [{ ...ask.ways[0], next: "hello" }] } },
  });
  assert.deepEqual(led.steps, [
    { id: "ask", kind: "changed", parts: [], led: [{ key: "ways/0/next", before: "end", after: "hello" }] },
  ]);
  const ruled = compare({
    ...BEFORE,
    nodes: {
      ...BEFORE.nodes,
      ask: { ...ask, ways: [{ if: { field: "tag", op: "has", value: "gold" }, next: "end" }] },
    },
  });
  assert.deepEqual(
    ruled.steps.map(({ parts, led: elsewhere }) => [parts, elsewhere]),
    [[["ways"], []]],
  );
});

test("who enters, who leaves, when mail leaves and where it begins are told apart from the steps", () => {
  const found = compare({ ...BEFORE, start: "pause", entry: { on: [] }, send: { quiet: {} } });
  assert.deepEqual(found.sections, ["entry", "send"]);
  assert.deepEqual(found.begins, { before: "hello", after: "pause" });
});
