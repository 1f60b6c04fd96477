import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readGraph } from "../graph/draft.ts";
import { outlineOf } from "../graph/outline.ts";
import { type Arrow, CARD_WIDTH, type Drawing, ENTRY, layOut, neighbourOf } from "./layout.ts";

const HEIGHT = 78;
const draw = (start: string, nodes: object) => layOut(outlineOf(readGraph({ start, nodes })), () => HEIGHT);
const cardsOf = (drawing: Drawing) => drawing.items.filter((one) => one.kind === "card");
const cardOf = (drawing: Drawing, id: string) => {
  const found = cardsOf(drawing).find((one) => one.id === id);
  assert.ok(found, id);
  return found;
};
const spotsOf = (drawing: Drawing) => drawing.items.filter((one) => one.kind === "spot");

const BRANCHED = {
  hello: { type: "email", next: "ask" },
  ask: { type: "branch", ways: [{ next: "gift" }], else: "letter" },
  gift: { type: "tag", next: "thanks" },
  thanks: { type: "email", next: "end" },
  letter: { type: "email", next: "end" },
  end: { type: "end" },
};

test("what follows stands below, ways stand side by side, and where they meet is below all of them", () => {
  const drawing = draw("hello", BRANCHED);
  const at = (id: string) => cardOf(drawing, id);
  assert.deepEqual(
    cardsOf(drawing).map(({ id }) => id),
    [ENTRY, "hello", "ask", "gift", "thanks", "letter", "end"],
  );
  assert.equal(at("hello").x, at("ask").x);
  assert.equal(at("end").x, at("ask").x);
  assert.equal(at("gift").x, at("thanks").x);
  assert.equal(at("gift").y, at("letter").y);
  assert.ok(at("gift").x + CARD_WIDTH < at("letter").x);
  assert.ok(at("end").y > at("thanks").y + HEIGHT);
});

test("each way has its own place to put a step in, and so has where they meet", () => {
  const slots = spotsOf(draw("hello", BRANCHED)).map(({ gap }) => gap.slots.map((one) => one.node));
  assert.deepEqual(slots, [
    [null],
    ["hello"],
    ["ask"],
    ["gift"],
    ["thanks"],
    ["ask"],
    ["letter"],
    ["thanks", "letter"],
  ]);
});

test("a way that leads back goes beside everything", () => {
  const drawing = draw("hello", {
    hello: { type: "email", next: "pause" },
    pause: { type: "wait", for: "P1D", next: "hello" },
  });
  assert.deepEqual(
    drawing.lines.filter(({ isLink }) => isLink).map(({ slots }) => slots),
    [[{ node: "pause", key: "next" }]],
  );
  assert.ok(drawing.width > CARD_WIDTH);
});

test("steps that nobody reaches stand apart, and what leads nowhere says so", () => {
  const drawing = draw("hello", { hello: { type: "email", next: "" }, alone: { type: "goal", next: "" } });
  assert.equal(drawing.apart.length, 1);
  assert.ok(cardOf(drawing, "alone").x > cardOf(drawing, "hello").x + CARD_WIDTH);
  assert.ok(spotsOf(drawing).some(({ leadsNowhere }) => leadsNowhere));
});

test("arrows go by the ways, and to the sides to what is nearest", () => {
  const graph = readGraph({ start: "hello", nodes: BRANCHED });
  const drawing = draw("hello", BRANCHED);
  const go = (id: string, arrow: Arrow) => neighbourOf(graph, drawing, id, arrow);
  assert.equal(go(ENTRY, "ArrowDown"), "hello");
  assert.equal(go("hello", "ArrowUp"), ENTRY);
  assert.equal(go("ask", "ArrowDown"), "gift");
  assert.equal(go("gift", "ArrowDown"), "thanks");
  assert.equal(go("gift", "ArrowRight"), "letter");
  assert.equal(go("gift", "ArrowLeft"), undefined);
});

test("whatever the graph, every step has one card and no two cards lie on each other", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const name = fc.constantFrom(...names, "gone");
  const node = fc.oneof(
    fc.record({ type: fc.constantFrom("email", "goal"), next: name }),
    // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
    fc.record({ type: fc.constant("wait_for"), then: name, else: name }),
    fc.record({
      type: fc.constant("branch"),
      ways: fc.array(fc.record({ next: name }), { maxLength: 3 }),
      else: name,
    }),
    fc.record({ type: fc.constant("end") }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), node), name, (nodes, start) => {
      const drawing = draw(start, nodes);
      const cards = cardsOf(drawing);
      assert.deepEqual(cards.map(({ id }) => id).toSorted(), [ENTRY, ...Object.keys(nodes)].toSorted());
      for (const one of cards) {
        assert.ok(one.x - CARD_WIDTH / 2 >= 0 && one.x + CARD_WIDTH / 2 <= drawing.width, one.id);
        assert.ok(one.y + one.height <= drawing.height, one.id);
        for (const other of cards)
          if (one !== other)
            assert.ok(
              Math.abs(one.x - other.x) >= CARD_WIDTH || Math.abs(one.y - other.y) >= HEIGHT,
              `${one.id} lies on ${other.id}`,
            );
      }
      for (const { path } of drawing.lines) assert.doesNotMatch(path, /NaN|undefined/);
    }),
    { numRuns: 500 },
  );
});
