/**
 * Compares the fast path with LiquidJS: it must give LiquidJS's bytes for whatever it takes, on the golden cases and
 * on random templates. How much of the corpus LiquidJS itself passes is reported, not asked.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { renderFast, renderSlow } from "../../src/content/liquid/compare.fixture.ts";
import { liquidTemplates, mergeData } from "../../test/support/liquid.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";

const RANDOM_CASES = 20_000;

export const liquidScorer: Scorer = {
  name: "liquid",
  summary: "Liquid templates: the fast path against LiquidJS, and LiquidJS against golden-liquid",
  needs: "liquid/golden_liquid.json",
  score,
};

type Case = {
  readonly name: string;
  readonly template: string;
  readonly data?: object;
  readonly result?: string;
  readonly results?: readonly string[];
  readonly invalid?: boolean;
  readonly templates?: object;
};

function score(path: string): Score {
  const { tests } = JSON.parse(readFileSync(path, "utf8")) as { tests: Case[] };
  const whole = tests.filter(({ templates }) => !templates);
  const handled = whole.filter(({ template, data = {} }) => renderSlow(template, data).ok);
  const accepted = handled.filter(({ template, data = {} }) => renderFast(template, data) !== null);
  const wrong = accepted.filter(({ template, data = {} }) => !isSame(template, data));
  const golden = whole.filter(meetsGolden).length;
  const random = compareRandom();
  return {
    figures: [
      percentFigure("liquid.fast_path_identical", accepted.length - wrong.length, accepted.length, 100),
      percentFigure("liquid.random_identical", random.identical, random.accepted, 100),
      percentFigure("liquid.fast_path_accepted", accepted.length, handled.length, null),
      percentFigure("liquid.liquidjs_meets_golden", golden, whole.length, null),
    ],
    details: [
      `${tests.length} cases, ${tests.length - whole.length} of them need partials, which mail templates don't have`,
      `LiquidJS renders ${handled.length}, the fast path takes ${accepted.length} of these`,
      `${random.cases} random templates, the fast path takes ${random.accepted}`,
      ...wrong.map(({ name }) => `other bytes than LiquidJS: ${name}`),
      ...random.wrong.map((template) => `other bytes than LiquidJS: ${JSON.stringify(template)}`),
    ],
  };
}

function isSame(template: string, data: object): boolean {
  const fast = renderFast(template, data);
  const slow = renderSlow(template, data);
  return fast !== null && fast.ok === slow.ok && (!fast.ok || !slow.ok || fast.text === slow.text);
}

function meetsGolden({ template, data = {}, result, results, invalid }: Case): boolean {
  const rendered = renderSlow(template, data);
  if (invalid) return !rendered.ok;
  return rendered.ok && (rendered.text === result || (results?.includes(rendered.text) ?? false));
}

function compareRandom() {
  const samples = fc.sample(fc.tuple(liquidTemplates, mergeData), { numRuns: RANDOM_CASES, seed: 1 });
  const accepted = samples.filter(([template, data]) => renderFast(template, data) !== null);
  const wrong = accepted.filter(([template, data]) => !isSame(template, data)).map(([template]) => template);
  return {
    cases: samples.length,
    accepted: accepted.length,
    identical: accepted.length - wrong.length,
    wrong: wrong.slice(0, 20),
  };
}
