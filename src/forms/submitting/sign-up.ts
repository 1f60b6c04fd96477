/**
 * Signing up happens in two steps. What was sent in is stored and answered, which takes the same for every address; then a job adds
 * the person, or finds that there is nothing to add. So nobody learns from an answer, or from its time, who is on a list.
 */
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { type AnyJob, addJob, defineJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import {
  allFields,
  type Candidate,
  createSubscriber,
  findContact,
  findList,
  findSuppressionReasons,
  type HashAddress,
  listTopicChoices,
  readCandidate,
  requestConfirmationFromForm,
  setTopicChoices,
  subscriberLimitReached,
} from "../../subscribers/subscribers.ts";
import { type FormRow, findForm } from "../store.ts";
import type { ShownWording } from "../wording.ts";
import type { Answers } from "./answers.ts";
import { insertSubmission, type SubmissionRow, takeSubmission } from "./store.ts";

export type Submission = Omit<Answers, "address"> & {
  readonly email: string;
  /** Null where the form wasn't one of ours, so that nobody knows what it said. */
  readonly shown: ShownWording | null;
  /** Null where a proxy told us no address. */
  readonly ip: string | null;
};

type Payload = { readonly account_id: string; readonly submission_id: string };

/** The jobs role says how it is run, since that needs the instance's keys. */
const signUpKind = defineJob<Payload>({
  name: "sign_up",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

export type SignUpTools = { readonly secrets: Secrets; readonly hashAddress: HashAddress };

/** Stores what was sent in, and adds its job. */
export async function storeSubmission(
  { db, clock, secrets, hashAddress }: SignUpTools & { db: Db; clock: TxCtx["clock"] },
  form: FormRow,
  answers: Answers,
  about: Pick<Submission, "shown" | "ip">,
): Promise<void> {
  const { address, ...rest } = answers;
  const submission: Submission = { ...rest, ...about, email: address.address };
  const id = newId(clock);
  const row: SubmissionRow = {
    account_id: form.account_id,
    id,
    form_id: form.id,
    address_hash: hashAddress(address.key),
    sealed: secrets.seal("form-submission", JSON.stringify(submission), contextOf(form.account_id, id)),
    created_at: clock.now(),
  };
  await db.transaction(async (tx) => {
    await insertSubmission(tx, row);
    await addJob(tx, signUpKind, { account_id: form.account_id, submission_id: id });
  });
}

function contextOf(accountId: string, id: string): string {
  return `${accountId}/${id}`;
}

/** Run twice, it finds that the submission is taken. */
export function signUpJob(tools: SignUpTools): AnyJob {
  return {
    ...signUpKind,
    run: ({ db, clock, log }: JobCtx, { account_id: accountId, submission_id: id }: Payload) =>
      db.transaction(async (tx) => {
        const row = await takeSubmission(tx, accountId, id);
        const opened = row && tools.secrets.open("form-submission", row.sealed, contextOf(accountId, id));
        if (!row || opened === undefined) return;
        const ctx = systemCtx({ clock, log }, tx, accountId);
        await signUp(ctx, tools, row, JSON.parse(opened) as Submission);
      }),
  };
}

/** A form or a list that was deleted meanwhile has nobody any more who wants the address. */
async function signUp(
  ctx: TxCtx,
  { hashAddress }: SignUpTools,
  { form_id: formId, address_hash: hash, created_at: givenAt }: SubmissionRow,
  submission: Submission,
): Promise<void> {
  const form = await findForm(ctx.sql, ctx.accountId, formId);
  const list = form && (await findList(ctx.sql, ctx.accountId, form.list_id));
  if (!form || !list) return;
  const fields = await allFields(ctx.sql, ctx.accountId);
  const known = new Set(fields.map(({ key }) => key));
  const { shown, ip, tracking } = submission;
  const source = sourceOf(form, shown);
  const evidence = { source, ...(ip !== null && { ip }) };
  const read = readCandidate(
    {
      email: submission.email,
      list_id: toPublicId("lst", list.id),
      first_name: submission.firstName,
      last_name: submission.lastName,
      locale: shown?.locale ?? null,
      fields: Object.fromEntries(Object.entries(submission.fields).filter(([key]) => known.has(key))),
      tags: [...form.tags],
      source: `form ${toPublicId("frm", form.id)}`,
      consent: { ...evidence, ...(shown && { wording: shown.consent }) },
      ...(tracking !== null && {
        tracking_consent: tracking,
        tracking_evidence: { ...evidence, ...(shown?.tracking && { wording: shown.tracking }) },
      }),
    },
    fields,
  );
  if ("faults" in read) {
    // It was checked when it came: a field has got another meaning since.
    ctx.log.warn({ form_id: form.id, codes: read.faults.map(({ code }) => code) }, "a sign-up was dropped");
    return;
  }
  const metBefore = await findContact(ctx.sql, ctx.accountId, hash);
  const reason = metBefore === undefined ? undefined : await suppressionOf(ctx, metBefore);
  // Nothing could come of it, and nothing of somebody who was forgotten may be kept again.
  if (reason === "erased") return;
  const isSuppressed = reason !== undefined;
  // Who is there already stays as they are: anybody may type anybody's address.
  const doubleOptIn = form.double_opt_in || list.double_opt_in || isSuppressed;
  const candidate = { ...read.candidate, doubleOptIn, consentGivenAt: givenAt, isSignUp: true as const };
  const made = await createUnlessFull(ctx, hashAddress, candidate);
  if (!made) return;
  const { id, isNew } = made;
  // Where somebody is asked by mail, the topics wait for the answer: anybody may have typed the address.
  if (isNew && !doubleOptIn && form.topic_ids.length > 0) await switchTopicsOn(ctx, hash, form);
  await requestConfirmationFromForm(ctx, id, {
    topicIds: form.topic_ids,
    formId: form.id,
    afterUrl: form.redirect_url,
    locale: shown?.locale ?? null,
    consent: { source, wording: shown?.consent ?? null, ip, givenAt },
    isRecorded: isNew,
    refusesTracking: tracking === false,
  });
}

/** Visitors are told nothing of a limit that operators set: whoever submits gets one answer, whatever becomes of it. */
async function createUnlessFull(
  ctx: TxCtx,
  hashAddress: HashAddress,
  candidate: Candidate,
): Promise<{ id: string; isNew: boolean } | undefined> {
  try {
    return await createSubscriber(ctx, hashAddress, candidate, "skip");
  } catch (error) {
    if (!(error instanceof AppError) || error.problem !== subscriberLimitReached) throw error;
    ctx.log.warn(
      { account: ctx.accountId },
      "a sign-up was dropped: the account has all subscribers that it may have",
    );
    return undefined;
  }
}

async function suppressionOf({ sql, accountId }: TxCtx, contactId: string): Promise<string | undefined> {
  return (await findSuppressionReasons(sql, accountId, [contactId])).get(contactId);
}

/** The consent names the form and the version that was shown. */
function sourceOf(form: FormRow, shown: ShownWording | null): string {
  const id = toPublicId("frm", form.id);
  return shown ? `form ${id} version ${shown.version}` : `form ${id}, wording unknown`;
}

async function switchTopicsOn(ctx: TxCtx, hash: Buffer, form: FormRow): Promise<void> {
  const contactId = await findContact(ctx.sql, ctx.accountId, hash);
  if (contactId === undefined) return;
  const chosen = await listTopicChoices(ctx.sql, ctx.accountId, contactId);
  const open = chosen.filter(({ id, isChosen }) => !isChosen && form.topic_ids.includes(id));
  const choices = open.map(({ id }) => ({ topicId: id, isOn: true }));
  await setTopicChoices(ctx, contactId, choices, `form ${toPublicId("frm", form.id)}`);
}
