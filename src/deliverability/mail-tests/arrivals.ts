/**
 * What comes to the address of a test. Whoever knows the address could write to it, and would be taken for our own relay: so only
 * the mail itself ends the test, known by marks that stand in it and nowhere else.
 */
import { createHash, randomBytes } from "node:crypto";
import type { InboundItem, OtherHandler, OtherOutcome } from "../../inbound/inbound.ts";
import type { TxCtx } from "../../platform/context.ts";
import { addReportJob } from "./job-kinds.ts";
import { failTest, lockTest, noteArrived, noteOther } from "./store.ts";

/** Is as long as the local parts in the unsubscribe addresses of other mail, and begins with another letter. */
const MARK = /(?<![\da-z])t[\da-z]{62}(?![\da-z])/gi;
const MESSAGE_ID = /<test\.([\da-f]{32})@/gi;
/** A bounce returns the header of the mail behind its own words. */
const MOST_SEARCHED = 256 * 1_024;
const MOST_MARKS = 50;

export type TestMarks = {
  /** Stands in place of the local part of the mail's unsubscribe address. */
  readonly unsubscribePath: string;
  /** Is the local part of Message-ID, which some providers replace. */
  readonly messageId: string;
  /** By these the mail is known again. */
  readonly proofs: readonly Buffer[];
};

export function makeMarks(): TestMarks {
  const unsubscribePath = `t${randomBytes(31).toString("hex")}`;
  const id = randomBytes(16).toString("hex");
  return { unsubscribePath, messageId: `test.${id}`, proofs: [proofOf(unsubscribePath), proofOf(id)] };
}

function proofOf(mark: string): Buffer {
  return createHash("sha256").update(mark.toLowerCase()).digest();
}

/** Says whether one of a test's marks stands in what came. */
function isProved(raw: Buffer, proofs: readonly Buffer[]): boolean {
  const text = raw
    .subarray(0, MOST_SEARCHED)
    .toString("latin1")
    .replaceAll(/\r\n[ \t]+/g, " ");
  const marks = new Set<string>();
  for (const [mark] of text.matchAll(MARK)) if (marks.add(mark).size >= MOST_MARKS) break;
  for (const [, id = ""] of text.matchAll(MESSAGE_ID)) if (marks.add(id).size >= 2 * MOST_MARKS) break;
  return [...marks].some((mark) => proofs.some((proof) => proof.equals(proofOf(mark))));
}

const made = (outcome: string, why: string): OtherOutcome => ({ outcome, why, named: null });

export const takeArrival: OtherHandler = async (_db, item) => (ctx) => noteArrival(ctx, item);

async function noteArrival(ctx: TxCtx, item: InboundItem): Promise<OtherOutcome> {
  const { sql, accountId } = ctx;
  const testId = item.addressed?.kind === "mail_test" ? item.addressed.testId : null;
  const test = testId === null ? undefined : await lockTest(sql, accountId, testId);
  if (!test) return made("ignored", "there is no such mail test any more");
  if (test.item_id === item.id) return made("tested", "the report of the mail test tells of it");
  if (test.status !== "waiting") return made("ignored", "the mail test was over");
  if (!isProved(item.raw, test.proofs)) {
    await noteOther(sql, accountId, test.id);
    return made("ignored", "it isn't the mail that the test has sent");
  }
  if (test.item_id !== null) return made("duplicate", "the mail of the test had come before");
  if (item.envelopeFrom === "") {
    const failure = "The mail came back as a bounce: a server on the way would not take it.";
    await failTest(sql, accountId, test.id, { failure, at: ctx.clock.now() });
    return made("failed", "the mail of the test came back as a bounce");
  }
  await noteArrived(sql, accountId, test.id, { itemId: item.id, at: item.receivedAt });
  await addReportJob(sql, { account_id: accountId, test_id: test.id });
  return made("tested", "the report of the mail test tells of it");
}
