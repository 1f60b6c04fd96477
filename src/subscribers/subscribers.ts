/**
 * A subscriber is one e-mail address on one list, with what is known of it and whether it may be mailed. Lists, custom fields,
 * tags, consent, opt-outs and suppressions belong here too. This file is what other folders may use.
 */
import { recordEvents } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import { forgetAnswersAbout } from "../platform/http/idempotency.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { invalid } from "../platform/problems.ts";
import { forgetInBulkChanges } from "./bulk/bulk.ts";
import {
  addSubscribers,
  type Candidate,
  deleteSubscribers,
  type OnConflict,
  removePause,
  unknownList,
} from "./changes/changes.ts";
import { stopTrackingEverywhere } from "./consent/consent.ts";
import type { HashAddress } from "./contact-store.ts";
import { forgetInImports } from "./imports/imports.ts";
import { lockSubscriberOrRetry, lockSubscriberWithOthers, mustLockSubscriber } from "./lock-subscriber.ts";
import { existsAlready, limitReached } from "./problems.ts";
import { subjectOf } from "./subject.ts";
import { suppressContact } from "./suppressions/suppressions.ts";
import { removeTagsNaming, tooManyTags } from "./tags/tags.ts";
import { removeChoices } from "./topics/topics.ts";

import { deleteSubscriberRows, removeOptOutReasons } from "./write-store.ts";

export { type ActivityEntry, listActivity } from "./activity.ts";
export {
  addresses,
  compileRules,
  countActive,
  countByReason,
  countGroups,
  countListPeople,
  createFactReader,
  type DatedPerson,
  type DatedPlace,
  domainsOfList,
  type FactReader,
  type FoundRecipient,
  findDated,
  findInStretches,
  hasMailable,
  holdPresent,
  isListLive,
  isSuppressed,
  joinSubscribers,
  type ListPlace,
  lookUpDomain,
  lookUpNth,
  lookUpRecipient,
  lookUpWhyNotMailable,
  MERGE_NAMES,
  type MergeValues,
  mergeValuesOf,
  NO_MERGE_VALUES,
  prepareMergeValues,
  pretendConfirmed,
  readListPage,
  readSegmentRules,
  SAMPLE_PLAIN_VALUES,
  sampleDomains,
} from "./audience/audience.ts";
export { bulkChangeJobs, changePeople, type PeopleChange } from "./bulk/bulk.ts";
export {
  addBatch,
  type Candidate,
  changeAddress,
  findPause,
  pauseContact,
  readCandidate,
  readPlainValue,
} from "./changes/changes.ts";
export {
  answerTracking,
  type ConfirmationPayload,
  type ConfirmFacts,
  comeBack,
  confirmByLink,
  hasLeftEverything,
  type MailedPerson,
  mailConfirmationKind,
  readConfirmLink,
  readTrackingConsents,
  requestConfirmationFromForm,
  stillUnsubscribed,
  stopTrackingEverywhere,
  takeConfirmation,
  takeWithdrawn,
  undoUnsubscribeByLink,
  unsubscribeByLink,
  type Withdrawn,
} from "./consent/consent.ts";
export {
  createHashAddress,
  findContact,
  findContactsFor,
  type HashAddress,
  NO_CONTACT,
  readAddressHashes,
  sendContacts,
} from "./contact-store.ts";
export {
  customEventPartitions,
  EVENT_NAME,
  findCustomEvents,
  LONGEST_EVENT_NAME,
  readConditions,
  removeOldKeys,
} from "./custom-events/custom-events.ts";
export {
  type EngagementHit,
  engagementPartitions,
  forgetEngagementIn,
  linkKeyOf,
  recordEngagement,
  type Seen,
  type SentCampaigns,
  type SentSource,
  type Visibility,
} from "./engagement/engagement.ts";
export {
  type CampaignsInTimeline,
  type ListEntries,
  type ListOfPerson,
  listListsOfPerson,
  RECIPIENT_EVENTS,
  type RecipientEvent,
  type RecipientFilter,
  readPersonOnLists,
  readStandingOfPerson,
  recipientLines,
} from "./exports/exports.ts";
export {
  allFields,
  createField,
  deleteField,
  type FieldRow,
  faultOfValue,
  shareFields,
} from "./fields/fields.ts";
export { type FileImport, importFile, importJobs } from "./imports/imports.ts";
export {
  countDoubleOptIn,
  countSubscribersOf,
  createFirstList,
  createList,
  deleteList,
  findArchivedList,
  findList,
  findListIds,
  findListNamed,
  findSampleList,
  keepSampleList,
  type ListRow,
  listPublicLists,
  listWelcomingWith,
  lockSampleList,
  removeListJob,
  removeMadeUpPeople,
  SAMPLE_SOURCE,
  shareLists,
  thinGrowthJob,
} from "./lists/lists.ts";
export { invalidState, subscriberLimitReached, tooManyFields } from "./problems.ts";
export { MadeUpSubscriber } from "./schema.ts";
export {
  createSegment,
  findSegment,
  findSegmentIds,
  isRelative,
  listsIn,
  type Rule,
  type RuleMention,
  readRules,
  shareSegments,
  unknownCampaigns,
} from "./segments/segments.ts";
export { noteReached, noteSoftBounces, removeOldSoftBounces } from "./soft-bounces/soft-bounces.ts";
export { ListIdInQuery, readListId, readSearchedAddress } from "./subscriber-query.ts";
export {
  findSubscriber,
  readAddresses,
  readAddressesOfContacts,
  type SubscriberView,
} from "./subscriber-store.ts";
export { sunsetJobs } from "./sunset/sunset.ts";
export {
  findErased,
  findSuppressionReasons,
  liftSuppressions,
  suppressContact,
  suppressContacts,
} from "./suppressions/suppressions.ts";
export { findTags, insertTag, tagKey, tagSubscribers } from "./tags/tags.ts";
export {
  createTopic,
  findTopic,
  findTopicIds,
  getsTopicNow,
  leaveTopic,
  listTopicChoices,
  setTopicChoices,
  type TopicChoice,
  type TopicRow,
  undoLeaveTopic,
} from "./topics/topics.ts";
export { wakeContacts } from "./wake.ts";

/** Adds one subscriber, by the same steps as a batch. */
export async function createSubscriber(
  ctx: TxCtx,
  hash: HashAddress,
  candidate: Candidate,
  onConflict: OnConflict,
): Promise<{ id: string; isNew: boolean }> {
  const [added] = await addSubscribers(ctx, hash, [candidate], onConflict);
  if (!added || added.kind === "no_list") throw invalid(unknownList);
  if (added.kind === "too_many_tags") throw invalid(tooManyTags("/tags"));
  if (added.kind === "no_room") throw limitReached(added.room);
  if (added.kind === "exists") throw existsAlready(added);
  // The row was only read so far, and it must still be there when the answer shows it.
  if (added.kind === "kept") await lockSubscriberOrRetry(ctx, added.id);
  return { id: added.id, isNew: added.kind === "created" };
}

/** Deletes the row and its personal data. What stands against mailing the address stays, under its hash. */
export async function deleteSubscriber(ctx: TxCtx, id: string): Promise<void> {
  const row = await mustLockSubscriber(ctx, id);
  await deleteSubscribers(ctx, [row]);
}

/** The floors above hold addresses too; this makes them forget one in the same transaction. */
export type ForgetElsewhere = (ctx: TxCtx, addressKey: string) => Promise<void>;

export type Erased = {
  readonly id: string;
  readonly contactId: string;
  readonly removed: number;
  readonly at: Date;
};

/** Erases a person: every list's subscriber, and whatever else holds the address. Only its keyed hash stays. */
export async function forget(ctx: TxCtx, id: string, elsewhere: ForgetElsewhere): Promise<Erased> {
  const subscribers = await lockSubscriberWithOthers(ctx, id);
  const { contact_id: contactId = "", email_key: addressKey = "" } = subscribers[0] ?? {};
  const ids = subscribers.map((row) => row.id);
  await suppressContact(ctx, contactId, "erased", "forget");
  await removeTagsNaming(ctx.sql, ctx.accountId, ids, addressKey);
  // Whoever carries a withdrawal out holds it and then deletes facts. We go in the same order, or both could wait for each other.
  await stopTrackingEverywhere(ctx, contactId);
  await deleteSubscriberRows(ctx.sql, ctx.accountId, ids);
  await removeOptOutReasons(ctx.sql, ctx.accountId, [contactId]);
  await removeChoices(ctx.sql, ctx.accountId, contactId);
  await removePause(ctx.sql, ctx.accountId, contactId);
  await forgetInImports(ctx, contactId, [addressKey]);
  await forgetInBulkChanges(ctx, addressKey);
  await forgetAnswersAbout(ctx.sql, ctx.accountId, contactId, ...ids);
  await elsewhere(ctx, addressKey);
  const erased = { id: newId(ctx.clock), contactId, removed: subscribers.length, at: ctx.clock.now() };
  const erasure = { erasure_id: toPublicId("ers", erased.id) };
  await recordEvents(
    ctx,
    subscribers.map((row) => ({ type: "subscriber.deleted", data: { ...subjectOf(row), ...erasure } })),
  );
  return erased;
}
