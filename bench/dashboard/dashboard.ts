/** Measures in a browser how long the table of subscribers takes to show other rows, with a million of them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, rate } from "../harness/numbers.ts";
import type { Generated } from "../subscribers/generate.ts";
import type { Api } from "./browser-client.ts";
import { startSignedIn } from "./signed-in.ts";

/** A page of the table may take this long, from the click to the new rows on the screen. */
const MOST_MS = 200;
const PAGES = 10;
const RARE_TAG = "one in a hundred";
const CHANGED_TAG = "one in ten";

export const dashboardBench: Bench = {
  name: "dashboard",
  summary: "the table of a million subscribers (--rows) in a browser, and a change of a tenth of them",
  async *run(setting) {
    const { api, page, generated, stop } = await startSignedIn(setting, {
      name: "dashboard",
      people: setting.sizes.rows,
      roles: "api,jobs",
    });
    try {
      yield* measureTable(setting, page, api.baseUrl);
      yield await measureChange(api, generated);
    } finally {
      await stop();
    }
  },
};

/**
 * Clicks in the page itself, so that nothing was fetched ahead by a pointer on its way there, and waits until another row is
 * first and has been painted.
 */
const CLICK = `(find) => new Promise((resolve, reject) => {
  const first = () => document.querySelector("tbody [data-row]")?.textContent;
  const before = first();
  const started = performance.now();
  const over = setTimeout(() => reject(new Error("no other rows came")), 30000);
  const seen = () => {
    const now = first();
    if (now === undefined || now === before) return;
    observer.disconnect();
    clearTimeout(over);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
  };
  const observer = new MutationObserver(seen);
  observer.observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
  const target = find();
  if (!target) return reject(new Error("there is nothing to click"));
  target.click();
})`;

function click(page: Page, find: string): Promise<number> {
  return page.evaluate<number>(`(${CLICK})(() => ${find})`);
}

const button = (label: string) =>
  `[...document.querySelectorAll("main button")].find((one) => one.textContent.trim().startsWith("${label}"))`;
const tab = (label: string) =>
  `[...document.querySelectorAll("nav.tabs a")].find((one) => one.textContent.trim().startsWith("${label}"))`;

async function* measureTable(setting: Setting, page: Page, baseUrl: string): AsyncIterable<Result> {
  const open = async (search: string) => {
    const started = performance.now();
    await page.goto(`${baseUrl}/subscribers${search}`);
    await page.locator("tbody [data-row]").first().waitFor();
    return performance.now() - started;
  };
  const times = { first: [], older: [], sort: [], status: [], tag: [] } as Record<string, number[]>;
  for (let round = 0; round < setting.sizes.rounds; round++) {
    // The cache of the page is lost with each opening, so that every round asks the service.
    times["first"]?.push(await open(""));
    for (let n = 0; n < PAGES; n++) times["older"]?.push(await click(page, button("Older")));
    await open("");
    times["sort"]?.push(await click(page, button("Address")));
    await open("");
    times["status"]?.push(await click(page, tab("Unsubscribed")));
    await open("");
    await page.getByRole("button", { name: "Filter" }).first().click();
    await page.getByLabel("Filter by").selectOption("tag");
    await page.getByLabel("Is", { exact: true }).fill(RARE_TAG);
    times["tag"]?.push(await click(page, `document.querySelector('.filter-pop [type="submit"]')`));
  }
  const rows = setting.sizes.rows;
  yield shown(`the next page of ${rows} subscribers`, times["older"] ?? []);
  yield shown("sorted by address", times["sort"] ?? []);
  yield shown("one status", times["status"] ?? []);
  yield shown("one tag", times["tag"] ?? []);
  yield shown("the whole page opened anew, with its script", times["first"] ?? [], 1_000);
}

export function shown(name: string, times: readonly number[], asked = MOST_MS): Result {
  const ours = median(times);
  const most = Math.max(...times);
  return {
    figure: { name: `${name}: ms`, ours, reference: null, ratio: null, asked, ok: ours <= asked },
    unit: "ms",
    headline: `median ${ours.toFixed(0)} ms, most ${most.toFixed(0)} ms of ${times.length}, asked ≤ ${asked} ms`,
    details: [],
  };
}

/** A tag is given to a tenth of them, as a bulk change. */
async function measureChange(api: Api, { rows }: Generated): Promise<Result> {
  const made = await api.send("POST", "/v1/bulk_changes", {
    filter: { tag: [CHANGED_TAG] },
    action: { type: "add_tags", tags: ["bench"] },
  });
  for (;;) {
    const change = await api.send("GET", `/v1/bulk_changes/${made.id}`);
    if (change.status === "pending" || change.status === "running") {
      await new Promise((resolve) => setTimeout(resolve, 200));
      continue;
    }
    assert.equal(change.status, "completed");
    assert.equal(change.counts.changed, Math.ceil(rows / 10));
    const seconds = (Date.parse(change.finished_at) - Date.parse(change.created_at)) / 1_000;
    const perSecond = change.counts.changed / seconds;
    return {
      figure: {
        name: "a bulk change: subscribers tagged a second",
        ours: perSecond,
        reference: null,
        ratio: null,
        asked: 1_000,
        ok: perSecond >= 1_000,
      },
      unit: "subscriber",
      headline: `${rate(perSecond)}, ${change.counts.changed} in ${seconds.toFixed(1)} s, asked ≥ ${rate(1_000)}`,
      details: [],
    };
  }
}
