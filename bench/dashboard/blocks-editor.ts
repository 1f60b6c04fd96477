/**
 * Measures in a browser the script of each key in a mail of a hundred blocks, with the processor slowed four times, and how long after
 * a key the preview shows it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, percentile95 } from "../harness/numbers.ts";
import type { Api } from "./browser-client.ts";
import { result, typeOne } from "./preview.ts";
import { profiled } from "./profile.ts";
import { startSignedIn } from "./signed-in.ts";

const BLOCKS = 100;
const PEOPLE = 100;
const SLOWED = 4;
const MOST_MS = 16;
/** A quick typist's. */
const BETWEEN_KEYS_MS = 80;
const TYPED = "Dear reader, the shop opens its winter tables on Thursday, and you may come in for tea. ";
const KEYS_A_ROUND = 6;
/** The first keys start the threads and load the compiler. */
const KEYS_BEFORE = 4;

export const blocksEditorBench: Bench = {
  name: "blocks-editor",
  summary: "typing in a mail of 100 blocks with the processor slowed four times, and its preview",
  parts: ["typing", "preview", "profile"],
  async *run(setting) {
    const { api, page, stop } = await startSignedIn(setting, {
      name: "blocks_editor",
      people: PEOPLE,
      roles: "api",
    });
    try {
      const { part } = setting;
      if (part !== "preview") yield await measureKeys(setting, page, api);
      if (part === undefined || part === "preview") yield await measurePreview(setting, page, api);
    } finally {
      await stop();
    }
  },
};

async function open(page: Page, api: Api): Promise<void> {
  const [list] = (await api.send("GET", "/v1/lists")).data;
  const words = "The shop opens its winter tables on Thursday, and you have read with us for a while. ";
  const blocks = Array.from({ length: BLOCKS }, (_, at) =>
    at % 10 === 0
      ? { id: `h${at}`, type: "heading", level: 2, content: [{ type: "text", text: `Story ${at}` }] }
      : {
          id: `t${at}`,
          type: "text",
          content: [{ type: "paragraph", content: [{ type: "text", text: words.repeat(3) }] }],
        },
  );
  const made = await api.send("POST", "/v1/campaigns", {
    name: "A hundred blocks",
    list_id: list.id,
    subject: "News",
    blocks: { version: 1, blocks },
  });
  await page.goto(`${api.baseUrl}/campaigns/${made.id}/edit`);
  await page.locator(".mail-frames iframe.front").waitFor();
  await page.locator('.blk[data-id="t5"] p').click();
  await page.keyboard.press("End");
}

/** The script between a key and the next is the key's: what it does at once, and its share of saving and of the preview. */
async function measureKeys({ sizes, part, note }: Setting, page: Page, api: Api): Promise<Result> {
  await open(page, api);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
  // The time of the thread itself, so that what else the machine does isn't counted.
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.keyboard.type("Once ", { delay: BETWEEN_KEYS_MS });
  const perKey: number[] = [];
  const type = async () => {
    for (let round = 0; round < sizes.rounds; round++) {
      const ofRound = await typeKeys(page, cdp);
      note(`script of a key: median ${median(ofRound).toFixed(1)} ms, mean ${mean(ofRound).toFixed(1)} ms`);
      perKey.push(...ofRound);
    }
  };
  if (part === "profile") note(await profiled(cdp, type));
  else await type();
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await cdp.detach();
  const ours = median(perKey);
  return {
    figure: {
      name: "100 blocks: script of a key, ms",
      ours,
      reference: null,
      ratio: null,
      asked: MOST_MS,
      ok: ours <= MOST_MS,
    },
    unit: "ms",
    headline: `median ${ours.toFixed(1)} ms of ${perKey.length} keys, 95 % within ${percentile95(perKey).toFixed(1)} ms, asked ≤ ${MOST_MS} ms`,
    details: [
      `all script of the page is counted, also the saving and the previews that are made while somebody types: mean ${mean(perKey).toFixed(1)} ms a key`,
    ],
  };
}

/** Nobody who types waits until the page has done with the last key. */
async function typeKeys(page: Page, cdp: CDPSession): Promise<number[]> {
  const read: Promise<number>[] = [scriptMs(cdp)];
  const pressed: Promise<void>[] = [];
  for (const letter of TYPED) {
    pressed.push(page.keyboard.press(letter === " " ? "Space" : letter));
    await sleep(BETWEEN_KEYS_MS);
    read.push(scriptMs(cdp));
  }
  await Promise.all(pressed);
  const times = await Promise.all(read);
  return times.slice(1).map((ms, at) => ms - (times[at] ?? 0));
}

async function scriptMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0);
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

async function measurePreview({ sizes, note }: Setting, page: Page, api: Api): Promise<Result> {
  await open(page, api);
  const times: number[] = [];
  for (let key = 0; key < KEYS_BEFORE + sizes.rounds * KEYS_A_ROUND; key++) {
    const ms = await typeOne(page, String.fromCharCode(97 + (key % 26)));
    if (key >= KEYS_BEFORE) times.push(ms);
  }
  note(`preview: ${times.map((ms) => ms.toFixed(0)).join(" ")} ms`);
  return result("100 blocks, from a key to the preview", times);
}
