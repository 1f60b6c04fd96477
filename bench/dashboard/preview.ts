/** Measures in a browser how long after a key the preview of a large mail shows what was typed. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, percentile95 } from "../harness/numbers.ts";
import type { Api } from "./browser-client.ts";
import { startSignedIn } from "./signed-in.ts";

const MOST_MS = 300;
const BYTES = 100_000;
const PEOPLE = 100;
const KEYS_A_ROUND = 6;
/** The first keys start the threads and load the compiler. */
const KEYS_BEFORE = 4;

export const previewBench: Bench = {
  name: "preview",
  summary: "the preview of a mail of 100 KB while somebody types it",
  parts: ["mjml", "html"],
  async *run(setting) {
    const { api, page, stop } = await startSignedIn(setting, {
      name: "preview",
      people: PEOPLE,
      roles: "api",
    });
    try {
      for (const kind of ["mjml", "html"] as const)
        if (!setting.part || setting.part === kind) yield await measure(setting, page, api, kind);
    } finally {
      await stop();
    }
  },
};

async function measure(
  { sizes, note }: Setting,
  page: Page,
  api: Api,
  kind: "mjml" | "html",
): Promise<Result> {
  const [list] = (await api.send("GET", "/v1/lists")).data;
  const source = kind === "mjml" ? mjml() : html();
  const campaign = await api.send("POST", "/v1/campaigns", {
    name: `A large ${kind}`,
    list_id: list.id,
    subject: "News for {{ first_name }}",
    [kind]: source,
  });
  await page.goto(`${api.baseUrl}/campaigns/${campaign.id}/edit`);
  await page.locator(".mail-frames iframe.front").waitFor();
  await page.locator(".cm-line", { hasText: "This is story 1 " }).click();
  const times: number[] = [];
  for (let key = 0; key < KEYS_BEFORE + sizes.rounds * KEYS_A_ROUND; key++) {
    const ms = await typeOne(page, String.fromCharCode(97 + (key % 26)));
    if (key >= KEYS_BEFORE) times.push(ms);
  }
  note(`${kind}: ${times.map((ms) => ms.toFixed(0)).join(" ")} ms`);
  const saved = await api.send("GET", `/v1/campaigns/${campaign.id}`);
  assert.ok(saved[kind].length > source.length, "what was typed is in the mail");
  return result(`${kind === "mjml" ? "MJML" : "HTML"} of 100 KB, from a key to the preview`, times);
}

/** The two frames of the preview take turns: what was typed is there once the other one is in front, and painted. */
const WATCH = `globalThis.shown = new Promise((resolve, reject) => {
  const frames = document.querySelector(".mail-frames");
  const front = () => [...frames.querySelectorAll("iframe")].findIndex((one) => one.classList.contains("front"));
  const before = front();
  let started;
  addEventListener("keydown", () => { started ??= performance.now(); }, { capture: true, once: true });
  const over = setTimeout(() => reject(new Error("no preview came")), 30000);
  const observer = new MutationObserver(() => {
    if (front() === before) return;
    observer.disconnect();
    clearTimeout(over);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
  });
  observer.observe(frames, { attributes: true, subtree: true, attributeFilter: ["class"] });
}), undefined`;

/** Types one letter, and lets the draft be saved before the next. */
export async function typeOne(page: Page, letter: string): Promise<number> {
  const isSaved = page.waitForResponse((answer) => answer.request().method() === "PATCH");
  await page.evaluate(WATCH);
  await page.keyboard.press(letter);
  const ms = await page.evaluate<number>("globalThis.shown");
  await isSaved;
  return ms;
}

const WORDS = "The shop opens its winter tables on Thursday, and you have read with us for a while. ".repeat(
  3,
);

function fill(make: (number: number) => string): string {
  let text = "";
  for (let number = 1; text.length < BYTES; number++) text += make(number);
  return text;
}

function mjml(): string {
  const story = (number: number) => `
    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="17px">
          This is story ${number} of many
          for {{ first_name | default: "reader" }}. ${WORDS}
        </mj-text>
        <mj-button href="https://shop.example/${number}?c={{ subscriber.id }}">Open story ${number}</mj-button>
      </mj-column>
    </mj-section>`;
  return `<mjml><mj-body background-color="#efece6">${fill(story)}</mj-body></mjml>`;
}

function html(): string {
  const story = (number: number) => `
    <table role="presentation" width="100%"><tr><td class="story">
      <p>
        This is story ${number} of many
        for {{ first_name | default: "reader" }}. ${WORDS}
      </p>
      <a class="button" href="https://shop.example/${number}?c={{ subscriber.id }}">Open story ${number}</a>
    </td></tr></table>`;
  const styles =
    ".story { padding: 16px } p { font: 16px Georgia } .button { background: #0a6b4f; color: #fff }";
  return `<!doctype html><html><head><style>${styles}</style></head><body>${fill(story)}</body></html>`;
}

export function result(name: string, times: readonly number[]): Result {
  const ours = median(times);
  const p95 = percentile95(times);
  return {
    figure: { name: `${name}: ms`, ours, reference: null, ratio: null, asked: MOST_MS, ok: ours <= MOST_MS },
    unit: "ms",
    headline: `median ${ours.toFixed(0)} ms, 95 % within ${p95.toFixed(0)} ms of ${times.length} keys, asked ≤ ${MOST_MS} ms`,
    details: [],
  };
}
