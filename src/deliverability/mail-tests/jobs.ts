/** Says how the jobs of mail tests are run: one hands the mail over, one writes the report, one ends what never came. */

import { findHolds, testAddressOf } from "../../accounts/accounts.ts";
import { adviseOn, handOverTest, recordEgressAddress, type TestSendTools } from "../../delivery/delivery.ts";
import { openInboundItem } from "../../inbound/inbound.ts";
import type { Db } from "../../platform/db/db.ts";
import { type AnyJob, defineJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { reportMailTestKind, type SendPayload, sendMailTestKind, type TestPayload } from "./job-kinds.ts";
import { type ReportTools, writeReport } from "./report.ts";
import type { MailTestReport } from "./schema.ts";
import {
  expireTests,
  failTest,
  findTest,
  finishTest,
  isOpenTest,
  noteSent,
  noteTry,
  readChecks,
  removeOldTests,
  type TestRow,
} from "./store.ts";

export type MailTestJobTools = TestSendTools & {
  readonly secrets: Secrets;
  readonly report: ReportTools;
};

const KEPT_MS = 90 * 24 * 3_600_000;

export function mailTestJobs(tools: MailTestJobTools): {
  readonly jobs: readonly AnyJob[];
  readonly tidying: Job<Record<string, never>>;
} {
  const tidying = defineJob<Record<string, never>>({
    name: "tidy_mail_tests",
    run: async ({ db, clock }) => {
      await expireTests(db, clock.now());
      await removeOldTests(db, new Date(clock.now().getTime() - KEPT_MS));
    },
  });
  const jobs = [
    { ...sendMailTestKind, run: (job: JobCtx, payload: SendPayload) => sendTest(job, tools, payload) },
    { ...reportMailTestKind, run: (job: JobCtx, payload: TestPayload) => reportOn(job, tools, payload) },
    tidying,
  ];
  return { jobs, tidying };
}

const MAY_TRY_AGAIN = ["deferred", "unreachable", "withdrawn"];

/** Doesn't throw on the last attempt: a job that failed for good would be kept, with the mail in its payload. */
async function sendTest(job: JobCtx, tools: TestSendTools, payload: SendPayload): Promise<void> {
  const { db, clock } = job;
  const { account_id: accountId, test_id: id, transport_id: transportId, from, to } = payload;
  const test = await findTest(db, accountId, id);
  // A job that is run again, because its process ended in between, sends no second mail.
  if (!test || test.sent_at !== null || !(await isOpenTest(db, accountId, id, clock.now()))) return;
  if ((await findHolds(db, accountId)).length > 0)
    return failTest(db, accountId, id, { failure: "This account may not send at present.", at: clock.now() });
  const message = Buffer.from(payload.message, "base64");
  const outcome = await handOverTest(job, tools, accountId, transportId, { from, to, message });
  const at = clock.now();
  if (outcome === "no_transport")
    return failTest(db, accountId, id, {
      failure: "The transport is gone, or its password can't be read.",
      at,
    });
  const reply = `${outcome.code === null ? "" : `${outcome.code} `}${outcome.text}`;
  // A server that took the mail and never said so has it, as far as anybody knows: what comes will tell.
  if (outcome.kind === "accepted" || outcome.kind === "ambiguous")
    return noteSent(db, accountId, id, { reply, at });
  if (MAY_TRY_AGAIN.includes(outcome.kind) && job.attempt < sendMailTestKind.maxAttempts) {
    await noteTry(db, accountId, id, reply);
    throw new Error(
      `the mail of a test was ${outcome.kind} at ${outcome.phase} (${outcome.code ?? "no reply"})`,
    );
  }
  const advice = adviseOn(outcome);
  await failTest(db, accountId, id, {
    failure: [`The transport's server would not take it: ${reply}.`, advice].filter(Boolean).join(" "),
    at,
  });
}

async function reportOn(job: JobCtx, tools: MailTestJobTools, payload: TestPayload): Promise<void> {
  const { db, clock, attempt, log } = job;
  const { account_id: accountId, test_id: id } = payload;
  const test = await findTest(db, accountId, id);
  if (test?.status !== "waiting" || test.item_id === null) return;
  const item = await openInboundItem(db, tools.secrets, accountId, test.item_id);
  if (!item) {
    const failure =
      "What came can't be opened: it was sealed under a SECRET_KEY that the instance no longer has.";
    return failTest(db, accountId, id, { failure, at: clock.now() });
  }
  try {
    const { report, origin } = await writeReport(
      tools.report,
      {
        ...item,
        envelopeFrom: item.envelopeFrom ?? "",
        to: testAddressOf(accountId, id, tools.report.inboundDomain),
        checks: await readChecks(db, accountId, id),
      },
      clock.now(),
    );
    const isSeen = item.session !== null && origin.hiddenBy === null;
    await finish(db, test, { ...report, is_egress_known: isSeen }, clock.now());
  } catch (error) {
    if (attempt < reportMailTestKind.maxAttempts) throw error;
    log.error({ err: error }, "the report of a mail test could not be written");
    const failure =
      "The mail came, but an error on our side kept the report from being written; the log has it.";
    await failTest(db, accountId, id, { failure, at: clock.now() });
  }
}

/** The mail was proved to be that of the test when it came, so where it came from is where this transport's mail leaves. */
async function finish(db: Db, test: TestRow, report: MailTestReport, at: Date): Promise<void> {
  const { account_id: accountId, id, transport_id: transportId } = test;
  await db.transaction(async (tx) => {
    if (!(await finishTest(tx, accountId, id, { report, at }))) return;
    const { ip, helo, is_egress_known } = report;
    if (is_egress_known && ip !== null && helo !== null)
      await recordEgressAddress(tx, accountId, { transportId, address: ip, helo, at });
  });
}
