/** Measures how long a mail of a hundred blocks is compiled, in the thread that does so. */

import { compileBlocks } from "../../src/content/blocks/blocks.ts";
import { documentOf, oneOfEach, words } from "../../src/content/blocks/documents.fixture.ts";
import type { Block } from "../../src/content/blocks/schema.ts";
import { compileContent } from "../../src/content/compile-content.ts";
import { type BlocksDocument, type ContentSource, startContentWorkers } from "../../src/content/content.ts";
import { compileMjml, makeText, scanHtml } from "../../src/content/html/html.ts";
import { findLiquid } from "../../src/content/liquid/liquid.ts";
import { bare } from "../../src/content/support.fixture.ts";
import type { Bench, Result } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";

const ASKED_MS = 150;
const BLOCKS = 100;
const COLUMNS = 290;
/** A thread that has just started has still to load MJML, and its code isn't compiled yet. */
const WARM_UPS = 5;
const TIMES_A_ROUND = 5;

export const blocksBench: Bench = {
  name: "blocks",
  summary: "a mail of 100 blocks compiled in its thread, and 290 rows of four columns",
  async *run({ sizes: { rounds } }) {
    const hundred = documentOf(
      ...Array.from({ length: BLOCKS }, (_, at): Block => {
        return { ...(oneOfEach[at % oneOfEach.length] as Block), id: `b${at}` };
      }),
    );
    yield await judge("ms to compile 100 blocks", hundred, rounds, ASKED_MS);
    yield await judge("ms to compile 290 rows of four columns", documentOf(...fourColumns()), rounds, null);
  },
};

function fourColumns(): Block[] {
  return Array.from({ length: COLUMNS }, (_, at) => ({
    id: `c${at}`,
    type: "columns",
    columns: [1, 2, 3, 4].map((column) => ({
      blocks: [{ id: `c${at}-${column}`, type: "heading", level: 3, content: words("Four of them") }],
    })),
  }));
}

async function judge(
  name: string,
  document: BlocksDocument,
  rounds: number,
  asked: number | null,
): Promise<Result> {
  const source = { ...bare, blocks: document };
  const { firstMs, times, cpuTimes } = await compileInThread(source, rounds * TIMES_A_ROUND);
  const ours = median(times);
  const show = (ms: number) => `${ms.toFixed(0)} ms`;
  const ok = asked === null || ours <= asked;
  return {
    figure: { name, ours, reference: null, ratio: null, asked: asked ?? 0, ok },
    unit: "ms",
    headline: `ours ${show(ours)}, asked ${asked === null ? "nothing" : `≤ ${show(asked)}`}`,
    details: [
      `ours      ${spread(times, show)}, by the clock`,
      `CPU       ${spread(cpuTimes, show)}, of the whole process`,
      `first     ${show(firstMs)}, the start of the thread included`,
      ...(ok && asked !== null ? [] : await profile(source)),
    ],
  };
}

async function compileInThread(source: ContentSource, count: number) {
  const limits = { threads: 1, compileTimeoutMs: 60_000, renderTimeoutMs: 60_000, memoryMb: 512 };
  const workers = startContentWorkers(limits);
  const compile = async () => {
    const begunMs = performance.now();
    const made = await workers.compile(source, "bench");
    if (!made.ok) throw new Error(made.faults[0]?.detail);
    return performance.now() - begunMs;
  };
  try {
    const firstMs = await compile();
    for (let at = 0; at < WARM_UPS; at++) await compile();
    const times: number[] = [];
    const cpuTimes: number[] = [];
    for (let at = 0; at < count; at++) {
      const begun = process.cpuUsage();
      times.push(await compile());
      const { user, system } = process.cpuUsage(begun);
      cpuTimes.push((user + system) / 1_000);
    }
    return { firstMs, times, cpuTimes };
  } finally {
    await workers.close();
  }
}

/** Says where the time goes, step by step, in this process. */
async function profile(source: ContentSource & { readonly blocks: BlocksDocument }): Promise<string[]> {
  const steps = new Map<string, number[]>();
  const timed = async <T>(step: string, work: () => T | Promise<T>): Promise<T> => {
    const begunMs = performance.now();
    const made = await work();
    steps.set(step, [...(steps.get(step) ?? []), performance.now() - begunMs]);
    return made;
  };
  for (let at = 0; at < WARM_UPS; at++) {
    const { mjml } = await timed("blocks to MJML", () => compileBlocks(source.blocks));
    const html = await timed("MJML to HTML", () => compileMjml(mjml, findLiquid(mjml)));
    const scan = await timed("reading the HTML", () => scanHtml(html));
    await timed("the text part", () => makeText({ source: html, pieces: [], places: [], scan }));
    await timed("all of it", () => compileContent(source));
  }
  return [...steps].map(([step, times]) => `${step.padEnd(18)} ${median(times).toFixed(0)} ms`);
}
