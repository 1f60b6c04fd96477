import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { createPreviewer } from "./previewer.ts";

/** Renders when it is told to, and notes what it was asked for and what was shown. */
function renderer() {
  const asked: { input: string; signal: AbortSignal; answer: () => void; refuse: () => void }[] = [];
  const told: string[] = [];
  const previewer = createPreviewer<string, string>({
    ask: (input, signal) =>
      new Promise((resolve, reject) => {
        asked.push({ input, signal, answer: () => resolve(input), refuse: () => reject(new Error(input)) });
      }),
    show: (result) => void told.push(result),
    fail: (_error, input) => void told.push(`not ${input}`),
  });
  const end = async (number: number, how: "answer" | "refuse" = "answer") => {
    asked[number]?.[how]();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { previewer, asked, told, end, inputs: () => asked.map(({ input }) => input) };
}

describe("what asks for previews", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  test("while one is rendered the newest waits, and what came between is never asked for", async () => {
    const { previewer, told, end, inputs } = renderer();
    for (const input of ["a", "ab", "abc"]) {
      previewer.change(input, 0);
      mock.timers.tick(1);
    }
    assert.deepEqual(inputs(), ["a"]);
    await end(0);
    assert.deepEqual(inputs(), ["a", "abc"]);
    await end(1);
    assert.deepEqual(told, ["a", "abc"]);
    mock.timers.tick(60_000);
    assert.deepEqual(inputs(), ["a", "abc"]);
  });

  test("what is typed during the pause is not overtaken by what waited before it", async () => {
    const { previewer, told, end, inputs } = renderer();
    previewer.change("a", 0);
    mock.timers.tick(1);
    previewer.change("ab", 0);
    mock.timers.tick(1);
    previewer.change("abc", 60);
    await end(0);
    assert.deepEqual(inputs(), ["a"]);
    mock.timers.tick(60);
    await end(1);
    assert.deepEqual(told, ["a", "abc"]);
  });

  test("one that takes too long is given up for the newest", async () => {
    const { previewer, asked, told, end } = renderer();
    previewer.change("slow", 0);
    mock.timers.tick(1);
    previewer.change("new", 0);
    mock.timers.tick(1);
    mock.timers.tick(1_000);
    assert.equal(asked[0]?.signal.aborted, true);
    await end(1);
    await end(0);
    assert.deepEqual(told, ["new"]);
  });

  test("only the fault of the newest is told", async () => {
    const { previewer, told, end } = renderer();
    previewer.change("{{", 0);
    mock.timers.tick(1);
    previewer.change("{{ a", 0);
    mock.timers.tick(1);
    await end(0, "refuse");
    assert.deepEqual(told, []);
    await end(1, "refuse");
    assert.deepEqual(told, ["not {{ a"]);
  });
});
