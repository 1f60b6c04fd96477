// Makes the six pictures that the README begins with, into docs/pictures/: `npm run screenshots -- --readme`. They show the account
// of a made-up bookshop on a service of their own, and are small files, since every clone has them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { launchChromium } from "../test/support/browser.ts";
import { type Fernhill, fillFernhill } from "../test/support/fernhill.ts";
import { moveIntoThePast } from "../test/support/fernhill-past.ts";
import { keyIn, makeInstallation } from "../test/support/process.ts";
import { until } from "../test/support/until.ts";

const FOLDER = join(import.meta.dirname, "..", "docs", "pictures");
const PASSWORD = "correct horse battery staple";
const VIEWPORT = { width: 1_360, height: 850 };
const WIDTH = 1_200;
const MOST_BYTES = 60_000;
/** The first of these qualities that is small enough is taken. */
const QUALITIES = [86, 80, 74, 68, 60, 50] as const;
const SETTLED_MS = 700;
/** So much of the large campaign is sent when it is looked at. */
const SHOWN_DONE = 0.3;

type Service = { readonly baseUrl: string; readonly key: string };

export async function makeReadmePictures(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const installation = makeInstallation();
  const browser = await launchChromium();
  try {
    const service = installation.start({ via: "node", env: { RATE_LIMIT_PER_MINUTE: "1000000" } });
    const baseUrl = await service.ready();
    await until(() => keyIn(service.stdout()) !== undefined);
    const key = keyIn(service.stdout()) ?? "";
    const context = await browser.newContext({ viewport: VIEWPORT, timezoneId: "Europe/London" });
    const page = await context.newPage();
    await comeIn(page, /Set-up link +(\S+)/.exec(service.stdout())?.[1] ?? "");
    const fernhill = await fillFernhill({ baseUrl, key });
    await moveIntoThePast(installation.dataDir, fernhill.read);
    await shootAll(page, { baseUrl, key }, fernhill);
    await service.stop();
  } finally {
    await browser.close();
    await installation.clear();
  }
}

async function comeIn(page: Page, setupLink: string): Promise<void> {
  await page.goto(setupLink);
  await page.getByLabel("E-mail address").fill("ada@fernhill.example");
  await page.getByLabel("Your name").fill("Ada Marsh");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Open the dashboard" }).click();
  await page.waitForURL((url) => url.pathname === "/");
}

async function shootAll(page: Page, service: Service, { read, draft, large }: Fernhill): Promise<void> {
  const sent = read.at(-1) ?? "";
  const open = async (path: string) => {
    await page.goto(service.baseUrl + path);
    await settle(page);
  };
  await open(`/campaigns/${draft}/edit`);
  await shoot(page, "composer");
  await page.getByRole("button", { name: "Review and send" }).first().click();
  await page.getByRole("dialog").waitFor();
  await settle(page);
  await shoot(page, "send-confirm");
  await open(`/campaigns/${sent}`);
  await shoot(page, "report");
  const mail = await findMail(service, sent);
  await open(`/inbox?message=${mail}`);
  await shoot(page, "sandbox-inbox");
  await ask(service, "POST", `/v1/campaigns/${large}/send`);
  await open(`/campaigns/${large}`);
  const { progress } = await ask(service, "GET", `/v1/campaigns/${large}`);
  await until(async () => {
    const { done } = (await ask(service, "GET", `/v1/campaigns/${large}`)).progress;
    return done >= SHOWN_DONE * progress.total;
  }, 120_000);
  await settle(page);
  await shoot(page, "live-sending");
  await open("/");
  await shoot(page, "home");
}

/** Waits until nothing loads and nothing fades in. What couldn't be read makes no picture. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await until(async () => (await page.locator(".skel").count()) === 0, 30_000);
  await page.waitForTimeout(SETTLED_MS);
  const failure = page.locator('.empty[role="alert"]');
  if ((await failure.count()) > 0) throw new Error(`${page.url()}: ${await failure.first().innerText()}`);
}

async function shoot(page: Page, name: string): Promise<void> {
  const picture = sharp(await page.screenshot()).resize({ width: WIDTH });
  for (const quality of QUALITIES) {
    const { size } = await picture.webp({ quality, effort: 6 }).toFile(join(FOLDER, `${name}.webp`));
    if (size <= MOST_BYTES) return console.log(`${name}.webp: ${Math.round(size / 1_000)} KB`);
  }
  throw new Error(`${name}.webp is larger than ${MOST_BYTES / 1_000} KB at every quality`);
}

async function findMail(service: Service, campaignId: string): Promise<string> {
  const { data } = await ask(service, "GET", "/v1/sandbox/messages?to=ada.marsh.0@gmail.example");
  return data.find((one: { campaign_id: string }) => one.campaign_id === campaignId).id;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the API answers.
async function ask({ baseUrl, key }: Service, method: string, path: string): Promise<any> {
  const answer = await fetch(baseUrl + path, { method, headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
}
