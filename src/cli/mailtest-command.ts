/** `mailtest`: asks the running service for a mail test, waits for its report and prints it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { MailTest } from "../deliverability/deliverability.ts";

export type Asking = {
  /** Where the service listens on this machine. */
  readonly localUrl: string;
  readonly key: string;
  /** Is told how far it is. */
  readonly tell: (line: string) => void;
};

const LOOK_EVERY_MS = 1_000;
const MARKS = { pass: "ok", warn: "WARN", fail: "FAIL", unknown: "?" } as const;

/** Throws an Error whose message says what stands in the way. */
export async function runMailTest(asking: Asking, campaignId: string): Promise<MailTest> {
  let test = await ask(asking, "POST", "", { campaign_id: campaignId });
  let told = "";
  while (test.status === "waiting") {
    const stage = stageOf(test);
    if (stage !== told) asking.tell(stage);
    told = stage;
    await sleep(LOOK_EVERY_MS);
    test = await ask(asking, "GET", `/${test.id}`);
  }
  return test;
}

function stageOf({ sent_at, arrived_at, address, transport_name }: MailTest): string {
  if (arrived_at !== null) return "It has come, and is being examined.";
  if (sent_at !== null) return `${transport_name} has taken it; waiting for it to come.`;
  return `Sending it to ${address} by ${transport_name}.`;
}

async function ask(
  { localUrl, key }: Asking,
  method: string,
  path: string,
  body?: object,
): Promise<MailTest> {
  const answer = await fetch(`${localUrl}/v1/deliverability/tests${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error(`no service answers at ${localUrl}: start it first`);
  });
  const read = (await answer.json()) as MailTest & {
    readonly detail?: string;
    readonly errors?: readonly { readonly detail: string }[];
  };
  if (answer.ok) return read;
  throw new Error([read.detail, ...(read.errors ?? []).map(({ detail }) => detail)].join("\n"));
}

export function formatMailTest({ status, failure, report }: MailTest): string {
  if (!report) return `${status}: ${failure ?? ""}\n`;
  const lines = report.groups.flatMap(({ key, items }) => [
    "",
    key.replaceAll("_", " "),
    ...items.flatMap((item) => [
      `  ${MARKS[item.status].padEnd(4)} ${item.title}`,
      ...item.evidence.split("\n").flatMap((line) => (line === "" ? [] : [`         ${line}`])),
      ...(item.remedy === null ? [] : [`       → ${item.remedy}`]),
    ]),
  ]);
  const off = report.deductions.map(({ key, points }) => `${key} −${points}`).join(", ");
  return [`${report.score} of 10${off === "" ? "" : ` (${off})`}`, ...lines, ""].join("\n");
}
