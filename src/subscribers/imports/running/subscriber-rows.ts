/** Rows that are people for a list: what a batch of them writes. */
import { holdKept, recordEvents } from "../../../events/events.ts";
import type { TxCtx } from "../../../platform/context.ts";
import { toPublicId } from "../../../platform/ids.ts";
import { PLAIN_NAMES } from "../../columns.ts";
import {
  answerFromFile,
  optOutContacts,
  readAddressHistory,
  reasonFromHistory,
  recordTrackingAnswers,
} from "../../consent/consent.ts";
import { findRoom, type SubscriberRoom, shareLists } from "../../lists/lists.ts";
import { describeFull, subscriberLimitReached } from "../../problems.ts";
import { firstStatus } from "../../status.ts";
import { subjectOf, withTagIds } from "../../subject.ts";
import { suppressContacts } from "../../suppressions/suppressions.ts";
import { ensureTags, insertTaggings } from "../../tags/tags.ts";
import { shareContacts } from "../../write-store.ts";
import type { ImportRowInDb } from "../import-store.ts";
import { createRowReader, FileFault, type ImportRow } from "../reading/reading.ts";
import { isAgainstMail, joinFacts, joinHistories } from "../values/values.ts";
import {
  countImported,
  findOnList,
  forgetDryRows,
  insertImported,
  lockExisting,
  mergeImported,
  type NewSubscriber,
} from "./batch-store.ts";
import { recordFreshEvidence, recordMergedEvidence } from "./evidence.ts";
import { ascendingIds } from "./ids.ts";
import type { BatchOutcome, RowKind } from "./row-kind.ts";

export const subscriberRows: RowKind<ImportRow> = {
  createReader: createRowReader,
  keyOf: (row) => row.emailKey,
  hashOf: (row) => row.hash,
  addresses: {
    of: (row) => (isAgainstMail(row.standing) ? null : row.emailKey),
    faultOf: (row, code, detail) => row.fault(code, detail),
  },
  isLeftOut: (row) => row.standing.isLeftOut,
  merge(before, row, onConflict) {
    // That somebody left, bounced or complained counts whatever is done with the rest of the row.
    const isGraver = addStanding(before, row);
    return (onConflict === "update" && mergeInto(before, row)) || isGraver;
  },
  check: refuseClosedList,
  write: writeRows,
  count: countRows,
};

/** A list may have gone, or have begun to want confirmations, since the import was made. */
async function refuseClosedList(ctx: TxCtx, run: ImportRowInDb): Promise<void> {
  const [list] = await shareLists(ctx.sql, ctx.accountId, [listOf(run)]);
  if (!list) throw new FileFault("list_deleted", "The list was deleted before the import had ended.");
  if (list.double_opt_in && !run.dry_run && run.options.consent?.attested !== true) {
    throw new FileFault(
      "consent_required",
      "The list now asks for confirmation, and nobody attests to consent.",
    );
  }
}

function listOf({ list_id: listId }: ImportRowInDb): string {
  if (listId === null) throw new Error("an import of people has a list");
  return listId;
}

async function writeRows(
  ctx: TxCtx,
  run: ImportRowInDb,
  rows: readonly ImportRow[],
  against: readonly ImportRow[],
  contacts: ReadonlyMap<string, string>,
): Promise<BatchOutcome> {
  const { options } = run;
  const listId = listOf(run);
  const source = toPublicId("imp", run.id);
  // An automation that is started meanwhile either sees this batch, or is told whom it brought.
  const isTold = await holdKept(ctx.sql, ctx.accountId, "subscriber.imported");
  const contactOf = (row: ImportRow) => contacts.get(row.hash.toString("hex")) ?? "";
  const contactIds = [...contacts.values()];
  // An erased person must not come back by a file that is older than the erasure.
  const unlessErased = (
    some: readonly ImportRow[],
    history: Awaited<ReturnType<typeof readAddressHistory>>,
  ) => some.filter((row) => history(contactOf(row), listId).suppressedFor !== "erased");
  const told = [...rows, ...against];
  const hasStandings = told.some(({ standing }) => standing.hasLeft || standing.suppressedFor);
  // Whoever may be changed is locked before any contact is, as everywhere.
  if (options.on_conflict === "update" || hasStandings)
    await lockExisting(ctx.sql, ctx.accountId, listId, contactIds);
  const before = hasStandings ? await readAddressHistory(ctx, contactIds) : undefined;
  const effects = before
    ? await applyStandings(ctx, listId, source, unlessErased(told, before), contactOf)
    : { optedOut: 0, suppressed: 0 };
  await shareContacts(ctx.sql, ctx.accountId, contactIds);
  const historyOf = await readAddressHistory(ctx, contactIds);
  const people = unlessErased(rows, historyOf);
  const ids = ascendingIds(ctx.clock, people.length);
  const wanted = people.map((row, index): NewSubscriber => {
    const contactId = contactOf(row);
    const history = historyOf(contactId, listId);
    const status = firstStatus(history, false);
    const hasJustLeft = status === "unsubscribed" && before?.(contactId, listId).isOptedOut === false;
    const statusReason = hasJustLeft
      ? (row.history.unsubscribeReason ?? "unsubscribed")
      : reasonFromHistory(status, history);
    const unsubscribedAt = history.optedOutAt ?? null;
    return { ...row, id: ids[index] ?? "", contactId, status, statusReason, unsubscribedAt };
  });
  const { refused, room } = await findBeyondLimit(ctx, listId, wanted);
  const fitting = refused.size > 0 ? wanted.filter((row) => !refused.has(row)) : wanted;
  const created = await insertImported(
    ctx,
    { importId: run.id, listId, source, consent: options.consent },
    fitting,
  );
  const fresh = fitting.filter((row) => created.has(row.id));
  const known = fitting.filter((row) => !created.has(row.id));
  const consentSource = options.consent?.source ?? source;
  const asNew = { isNew: true, source: consentSource };
  await recordFreshEvidence(ctx, fresh, source);
  await recordAnswers(
    ctx,
    listId,
    fresh.map(({ id, contactId, trackingConsent: answer }) => ({ id, contactId, answer })),
    asNew,
  );
  const merged =
    options.on_conflict === "update" ? await mergeRows(ctx, run.id, listId, known, consentSource) : [];
  const updated = merged.length;
  const now = ctx.clock.now();
  const tagged = await tagRows(
    ctx,
    listId,
    fresh.map((row) => ({ row, id: row.id, createdAt: now })),
  );
  if (options.trigger_automations) await recordCreated(ctx, listId, fresh, tagged);
  const freshOnes = fresh.map(({ id, contactId }) => ({ id, contact_id: contactId, list_id: listId }));
  if (isTold) await recordImported(ctx, run, [...freshOnes, ...merged]);
  const skipped = rows.length - fresh.length - updated - refused.size;
  const faults = faultsOfFull([...refused], room);
  return { ...effects, created: fresh.length, updated, skipped, faults };
}

/** The first new ones of a batch are taken as far as there is room. Who is on the list already needs none. */
async function findBeyondLimit(
  ctx: TxCtx,
  listId: string,
  wanted: readonly NewSubscriber[],
): Promise<{ readonly refused: ReadonlySet<NewSubscriber>; readonly room: SubscriberRoom | undefined }> {
  const room = await findRoom(ctx.sql, ctx.accountId);
  if (!room || wanted.length <= room.left) return { refused: new Set(), room };
  const contactIds = wanted.map(({ contactId }) => contactId);
  const onList = await findOnList(ctx.sql, ctx.accountId, listId, contactIds);
  const refused = new Set(wanted.filter(({ contactId }) => !onList.has(contactId)).slice(room.left));
  return { refused, room };
}

function faultsOfFull(refused: readonly Pick<ImportRow, "fault">[], room: SubscriberRoom | undefined) {
  if (!room) return [];
  return refused.map(({ fault }) => fault(subscriberLimitReached.code, describeFull(room)));
}

/** An import is one event for all of its people, unless automations are to hear of each. */
async function recordCreated(
  ctx: TxCtx,
  listId: string,
  fresh: readonly NewSubscriber[],
  tagged: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  await recordEvents(
    ctx,
    fresh.map(({ id, contactId, status }) => ({
      type: "subscriber.created",
      data: {
        ...subjectOf({ id, contact_id: contactId, list_id: listId }),
        status,
        ...withTagIds(tagged.get(id) ?? []),
      },
    })),
  );
}

/** Where somebody wants to know whom an import changed, that is told of each: an automation remembers who is in a segment. */
async function recordImported(
  ctx: TxCtx,
  { id, options }: Pick<ImportRowInDb, "id" | "options">,
  people: readonly Parameters<typeof subjectOf>[0][],
): Promise<void> {
  if (people.length === 0) return;
  const more = { import_id: toPublicId("imp", id), trigger_automations: options.trigger_automations };
  await recordEvents(
    ctx,
    people.map((one) => ({ type: "subscriber.imported", data: { ...subjectOf(one), ...more } })),
  );
}

/** Opt-outs and suppressions hold on whoever is here already too, whatever `on_conflict`: they are no matter of merging. */
async function applyStandings(
  ctx: TxCtx,
  listId: string,
  source: string,
  rows: readonly ImportRow[],
  contactOf: (row: ImportRow) => string,
): Promise<{ optedOut: number; suppressed: number }> {
  const byContact = new Map<string, Pick<ImportRow, "standing" | "history">>();
  for (const row of rows) {
    const before = byContact.get(contactOf(row));
    if (before) addStanding(before, row);
    else byContact.set(contactOf(row), { standing: row.standing, history: row.history });
  }
  const suppressions = [...byContact].flatMap(([contactId, { standing }]) =>
    standing.suppressedFor ? [{ contactId, reason: standing.suppressedFor, source }] : [],
  );
  const optOuts = [...byContact].flatMap(([contactId, { standing, history }]) =>
    standing.hasLeft ? [{ contactId, reason: history.unsubscribeReason, at: history.unsubscribedAt }] : [],
  );
  await suppressContacts(ctx, suppressions, { tellAll: false });
  await optOutContacts(ctx, listId, source, optOuts);
  return { optedOut: optOuts.length, suppressed: suppressions.length };
}

async function mergeRows(
  ctx: TxCtx,
  importId: string,
  listId: string,
  known: readonly NewSubscriber[],
  consentSource: string,
): Promise<readonly { id: string; contact_id: string; list_id: string }[]> {
  if (known.length === 0) return [];
  const byContact = new Map(known.map((row) => [row.contactId, row]));
  const existing = await lockExisting(ctx.sql, ctx.accountId, listId, [...byContact.keys()]);
  const matched = existing.flatMap(({ contact_id, id, created_at, tracking_consent }) => {
    const row = byContact.get(contact_id);
    const answer = row ? answerFromFile(tracking_consent, row.trackingConsent) : null;
    return row ? [{ row, id, createdAt: created_at, answer }] : [];
  });
  const tagged = await tagRows(ctx, listId, matched);
  const merges = matched.map(({ row, id, answer }) => ({ id, row, answer, isTagged: tagged.has(id) }));
  await recordAnswers(
    ctx,
    listId,
    matched.map(({ row, id, answer }) => ({ id, contactId: row.contactId, answer })),
    { isNew: false, source: consentSource },
  );
  await recordMergedEvidence(ctx, matched, consentSource);
  const changed = await mergeImported(ctx, importId, merges);
  return matched.flatMap(({ id, row }) =>
    changed.has(id) ? [{ id, contact_id: row.contactId, list_id: listId }] : [],
  );
}

/** The import's own evidence is about being mailed, so the log says only which file it was. */
async function recordAnswers(
  ctx: TxCtx,
  listId: string,
  answers: readonly { id: string; contactId: string; answer: boolean | null }[],
  common: { isNew: boolean; source: string },
): Promise<void> {
  const given = answers.filter(({ answer }) => answer !== null);
  await recordTrackingAnswers(
    ctx,
    given.map(({ id, contactId, answer }) => ({
      row: { id, contact_id: contactId, list_id: listId, tracking_consent: answer },
      evidence: undefined,
      ...common,
    })),
  );
}

/** Returns who got a tag that they didn't have. */
async function tagRows(
  ctx: TxCtx,
  listId: string,
  rows: readonly { row: ImportRow; id: string; createdAt: Date }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map(rows.flatMap(({ row }) => [...row.tags]));
  if (names.size === 0) return new Map();
  const ids = await ensureTags(ctx, [...names.values()]);
  const taggings = rows.flatMap(({ row, id, createdAt }) =>
    [...row.tags.keys()].flatMap((key) => {
      const tagId = ids.get(key);
      return tagId ? [{ subscriberId: id, tagId, listId, createdAt }] : [];
    }),
  );
  return insertTaggings(ctx.sql, ctx.accountId, taggings);
}

async function countRows(
  ctx: TxCtx,
  run: ImportRowInDb,
  rows: readonly ImportRow[],
  against: readonly ImportRow[],
): Promise<BatchOutcome> {
  const hashes = rows.map((row) => row.hash);
  const { isNew, isOnList } = await countImported(ctx.sql, ctx.accountId, run.id, listOf(run), hashes);
  const isFresh = (key: string) => isNew.has(key) && !isOnList.has(key);
  const fresh = rows.filter(({ hash }) => isFresh(hash.toString("hex")));
  const room = fresh.length > 0 ? await findRoom(ctx.sql, ctx.accountId) : undefined;
  // Those of the batches before have written nothing, so they are in no count.
  const refused = room ? fresh.slice(Math.max(0, room.left - run.created)) : [];
  // Whoever is refused and comes again in a later batch is refused again, as when it is written.
  await forgetDryRows(
    ctx.sql,
    ctx.accountId,
    run.id,
    refused.map(({ hash }) => hash),
  );
  const faults = faultsOfFull(refused, room);
  const created = fresh.length - refused.length;
  const met = rows.length - fresh.length;
  const peopleOf = (told: readonly ImportRow[]) => new Set(told.map(({ emailKey }) => emailKey)).size;
  const all = [...rows, ...against];
  const optedOut = peopleOf(all.filter(({ standing }) => standing.hasLeft));
  const suppressed = peopleOf(all.filter(({ standing }) => standing.suppressedFor));
  return run.options.on_conflict === "update"
    ? { created, updated: met, skipped: 0, optedOut, suppressed, faults }
    : { created, updated: 0, skipped: met, optedOut, suppressed, faults };
}

/** Takes in what a later row tells of the person's leaving, and says whether it was new. */
function addStanding(
  before: Pick<ImportRow, "standing" | "history">,
  row: Pick<ImportRow, "standing" | "history">,
): boolean {
  const standing = joinFacts(before.standing, row.standing);
  const { hasLeft, suppressedFor } = before.standing;
  const isGraver = standing.hasLeft !== hasLeft || standing.suppressedFor !== suppressedFor;
  if (isGraver) Object.assign(before, { standing, history: joinHistories(before, row) });
  return isGraver;
}

/** Merges as the database would: what is given goes in. It says whether anything was new. */
function mergeInto(before: ImportRow, row: ImportRow): boolean {
  let isChanged = false;
  for (const name of PLAIN_NAMES) {
    const given = row.profile[name];
    if (given === null || given === before.profile[name]) continue;
    before.profile[name] = given;
    isChanged = true;
  }
  const answer = answerFromFile(before.trackingConsent, row.trackingConsent);
  if (answer !== null) {
    before.trackingConsent = answer;
    isChanged = true;
  }
  for (const [slot, value] of Object.entries(row.slots)) {
    if (before.slots[slot] === value) continue;
    before.slots = { ...before.slots, [slot]: value };
    isChanged = true;
  }
  for (const [key, tag] of row.tags) {
    if (before.tags.has(key)) continue;
    before.tags.set(key, tag);
    isChanged = true;
  }
  return isChanged;
}
