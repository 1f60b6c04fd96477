import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Graph, Node, SendRules } from "../graph-types.ts";
import { compareGraphs } from "./compare.ts";
import { decideHeld, type Following, heldAt, standingIn } from "./following.ts";

const ANY_TIME: SendRules = { window: undefined, quiet: undefined, weekdays: [] };

function graph(nodes: Readonly<Record<string, Node>>, send = ANY_TIME): Graph {
  const entry = { on: [], filter: undefined, reentry: { mode: "once" }, key: undefined } as const;
  return { start: "w", entry, exit: [], send, nodes: new Map(Object.entries(nodes)) };
}
function wait(span: string, next = "end"): Node {
  return { type: "wait", for: span, until: undefined, at: undefined, weekdays: [], next };
}
const mail: Node = { type: "email", message: { subject: "Hello" }, next: "end" };
const end: Node = { type: "end" };

function published(number: number, given: Partial<Following> = {}): Following {
  return { number, follows: true, keepsWaits: false, mapping: {}, steps: { has: () => true }, ...given };
}

describe("two versions of a graph", () => {
  it("differ in steps that were added, removed or changed, and in waits", () => {
    const before = graph({ w: wait("P3D"), tag: { type: "tag", add: ["a"], remove: [], next: "end" }, end });
    const after = graph({ w: wait("P1D"), mail, end });
    assert.deepEqual(compareGraphs(before, after), {
      added: ["mail"],
      removed: ["tag"],
      changed: ["w"],
      waits: ["w"],
    });
  });

  it("have the same waits where only what follows is another", () => {
    const before = graph({ w: wait("P3D"), mail, end });
    const after = graph({ w: wait("P3D", "mail"), mail, end });
    assert.deepEqual(compareGraphs(before, after), { added: [], removed: [], changed: ["w"], waits: [] });
  });

  it("hold people on a mail for another time where the hours of sending are others", () => {
    const quiet = { ...ANY_TIME, quiet: { from: "20:00", to: "08:00" } };
    const { changed, waits } = compareGraphs(graph({ mail, end }), graph({ mail, end }, quiet));
    assert.deepEqual([changed, waits], [[], ["mail"]]);
  });
});

describe("a run", () => {
  const run = { version: 1, node: "w" };

  it("stands in the newest version that it follows", () => {
    const own = { version: 3, node: "w" };
    assert.deepEqual(standingIn([published(2), published(3)], run), { ...own, wait: own });
    assert.deepEqual(standingIn([published(2), published(3)], own), { ...own, wait: own });
  });

  it("stays with its version until a later one is followed again", () => {
    const stays = published(2, { follows: false, mapping: { w: "lost" } });
    assert.deepEqual(standingIn([stays], run), { ...run, wait: run });
    assert.deepEqual(standingIn([stays, published(3)], run).node, "w");
    assert.deepEqual(standingIn([stays, published(3)], run).version, 3);
  });

  it("is led from step to step by each version's mapping in turn", () => {
    const chain = [published(2, { mapping: { w: "x" } }), published(3, { mapping: { x: "y", w: "z" } })];
    assert.equal(standingIn(chain, run).node, "y");
    assert.equal(standingIn(chain, { version: 2, node: "w" }).node, "z");
  });

  it("stays where it is when the step that it reached is gone, and follows once it has left it", () => {
    const without = published(2, { steps: new Set(["end"]) });
    assert.deepEqual(standingIn([without], run), { ...run, wait: run });
    assert.equal(standingIn([without], { version: 1, node: "end" }).version, 2);
  });

  it("keeps the wait of the version that last counted, through those that keep it", () => {
    const kept = standingIn([published(2), published(3, { keepsWaits: true, mapping: { w: "x" } })], run);
    assert.deepEqual(kept, { version: 3, node: "x", wait: { version: 2, node: "w" } });
  });
});

describe("a step that somebody is held on", () => {
  const arrivedAt = new Date("2026-11-01T09:00:00Z");
  const facts = { zone: "UTC", matches: [], date: null, share: 0 };
  const graphs = [graph({ w: wait("P3D"), end }), graph({ w: wait("P1D", "mail"), mail, end })];
  const chain = (keepsWaits: boolean) => [published(2, { keepsWaits })];
  const at = (keepsWaits: boolean, now: string) => {
    const place = standingIn(chain(keepsWaits), { version: 1, node: "w" });
    const held = heldAt(place, (version) => graphs[version - 1] as Graph);
    const standing = { arrivedAt, wokenBy: "time" } as const;
    return decideHeld(held, standing, { node: facts, wait: facts }, new Date(now));
  };

  it("counts the time already waited for a wait that has changed", () => {
    assert.deepEqual(at(false, "2026-11-02T09:00:00Z"), { kind: "go", way: "next", to: "mail" });
  });

  it("is left when the former wait is over where that is kept, by the ways of the new version", () => {
    const until = new Date("2026-11-04T09:00:00Z");
    assert.deepEqual(at(true, "2026-11-02T09:00:00Z"), { kind: "stay", until });
    assert.deepEqual(at(true, "2026-11-04T09:00:00Z"), { kind: "go", way: "next", to: "mail" });
  });
});
