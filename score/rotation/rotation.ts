/**
 * Sends a campaign from a proved domain to a real Postfix, whose filters verify every mail, and rotates the domain's keys meanwhile, while
 * every process of the program is killed. A mail that was signed by a key which isn't in the DNS is stored with that verdict.
 */
import { randomInt } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cloneDatabase } from "../../test/support/database.ts";
import { onPostgres } from "../../test/support/own-postgres.ts";
import { createRandom } from "../../test/support/sink/sink.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";
import { type Product, startProduct } from "../servers/product.ts";
import { type Receiver, startReceiver, whyNoReceiver } from "../servers/receiver.ts";
import { launchCampaign, RECIPIENT_DOMAINS, readLedger } from "./campaign.ts";
import { CONTROL_DOMAIN, sendControls } from "./controls.ts";
import { type Rotated, rotateUnderKills } from "./killed-rotation.ts";
import { retireKeys } from "./retiring.ts";
import { INBOUND_DOMAIN, proveDomain } from "./sender-domain.ts";
import { judgeMails, readStoredMail, type StoredMail } from "./verdict.ts";

export const rotationScorer: Scorer = {
  name: "rotation",
  summary: "keys rotated in mid-campaign under kill -9, judged by Postfix with OpenDKIM and OpenDMARC",
  score: scoreRotation,
};

const MAILS = 10_000;
/** The campaign lasts long enough for all that happens meanwhile, also where the machine is fast. */
const MAILS_PER_SECOND = 120;
/** Senders are at work again when so many more mails were stored. */
const MAILS_AT_WORK = 50;
/** RSA and Ed25519. */
const SIGNATURES = 2;
/** Nothing was stored for so long: what isn't there by then counts as missing. */
const QUIET_MS = 90_000;

async function scoreRotation(): Promise<Score> {
  const folder = mkdtempSync(join(tmpdir(), "score-rotation-"));
  try {
    // The servers run as other users than we do.
    chmodSync(folder, 0o755);
    const reasons = whyNoReceiver(folder);
    if (reasons.length > 0) return { figures: [], details: reasons };
    return await onPostgres("postrider-score-", () => scoreIn(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function scoreIn(folder: string): Promise<Score> {
  const receiver = await startReceiver(folder, [...RECIPIENT_DOMAINS, CONTROL_DOMAIN]);
  const database = await cloneDatabase();
  try {
    const product = await startProduct({
      DATABASE_URL: database.url,
      SMTP_URL: `smtp://127.0.0.1:${receiver.port}?connections=8`,
      SMTP_RATE_PER_SECOND: String(MAILS_PER_SECOND),
      RETRY_AFTER_SECONDS: "1",
      INBOUND_DOMAIN,
      DNS_SERVERS: receiver.nameServer.address,
    });
    try {
      return await scoreCampaign({ product, receiver, databaseUrl: database.url });
    } finally {
      await product.stop();
    }
  } finally {
    await receiver.stop();
    await database.drop();
  }
}

type Setup = { readonly product: Product; readonly receiver: Receiver; readonly databaseUrl: string };

async function scoreCampaign({ product, receiver, databaseUrl }: Setup): Promise<Score> {
  const seed = randomInt(1_000_000);
  const details: string[] = [];
  // It takes minutes, so whoever waits is told.
  const note = (line: string) => {
    details.push(line);
    process.stderr.write(`${line}\n`);
  };
  note(`seed ${seed} of the moments at which processes are killed`);
  const random = createRandom(seed);
  const domain = await proveDomain(product, receiver.nameServer);
  note("the domain is verified by its records in nsd");
  const startedMs = performance.now();
  const id = await launchCampaign(product, MAILS);
  const rotations: Rotated[] = [];
  for (const share of [0.1, 0.5]) {
    await untilStored(receiver, MAILS * share);
    const untilSending = () => untilStored(receiver, receiver.inbox().length + MAILS_AT_WORK);
    const rotated = await rotateUnderKills({ product, domain, random, note, untilSending });
    rotations.push(rotated);
    await domain.publish();
    await untilStored(receiver, MAILS * (share + 0.25));
    await retireKeys({ databaseUrl, product, domain });
    note(
      `the keys ${rotated.retiring.join(", ")} are retired and gone from the DNS at ${receiver.inbox().length} mails`,
    );
  }
  const isSent = async () => (await product.must("GET", `/v1/campaigns/${id}`)).status === "sent";
  await waitWhileStored(receiver, async () => (await isSent()) && receiver.isQuiet());
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  const mails = receiver.inbox().map((path) => readStoredMail(readFileSync(path, "latin1")));
  const ledger = await readLedger(product, id);
  const verdict = judgeMails(mails, ledger, domain.history, SIGNATURES);
  const unknown = [...ledger.values()].filter((status) => status === "unknown").length;
  details.push(
    `${MAILS} mails within ${seconds} s: ${mails.length} stored, ${ledger.size} in the ledger, ${unknown} of them unknown after a kill, of which ${verdict.arrivedUnknown} had arrived`,
    ...rotations.map((rotated, n) => describeRotation(n + 1, rotated, mails)),
    ...verdict.faults.slice(0, 20),
  );
  const refused = await sendControls(receiver, rotations[0]?.retiring ?? []);
  details.push(...refused.details);
  const people = Math.max(MAILS, ledger.size);
  const right = rotations.filter(({ isRight }) => isRight).length;
  return {
    figures: [
      percentFigure("rotation.dkim_pass", verdict.dkimPassed, mails.length, 100),
      percentFigure("rotation.dmarc_pass", verdict.dmarcPassed, mails.length, 100),
      percentFigure("rotation.key_in_dns", verdict.keyStood, mails.length, 100),
      percentFigure("rotation.as_the_ledger_says", verdict.asLedger, people, 100),
      percentFigure("rotation.never_twice", verdict.onceAtMost, people, 100),
      percentFigure("rotation.rotated_once", right, rotations.length, 100),
      percentFigure("rotation.controls_refused", refused.count, refused.total, 100),
    ],
    details,
  };
}

function describeRotation(
  number: number,
  { requests, answeredMs, retiring }: Rotated,
  mails: readonly StoredMail[],
): string {
  const ofOld = mails.filter(({ selectors }) => selectors.some((one) => retiring.includes(one)));
  const lastMs = Math.max(...ofOld.map(({ receivedMs }) => receivedMs));
  const after = ((lastMs - answeredMs) / 1_000).toFixed(0);
  return `rotation ${number}: answered after ${requests} requests; ${ofOld.length} mails by the former keys, the last of them ${after} s after the answer`;
}

async function untilStored(receiver: Receiver, count: number): Promise<void> {
  await waitWhileStored(receiver, async () => receiver.inbox().length >= count);
}

/** Waits for a condition as long as mails are stored, and some time longer. */
async function waitWhileStored(receiver: Receiver, isMet: () => Promise<boolean>): Promise<void> {
  let stored = 0;
  let deadline = performance.now() + QUIET_MS;
  while (!(await isMet()) && performance.now() < deadline) {
    const now = receiver.inbox().length;
    if (now > stored) deadline = performance.now() + QUIET_MS;
    stored = now;
    await sleep(200);
  }
}
