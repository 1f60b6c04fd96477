/** Sends the mails of an automation's draft to a few addresses, as a person of the list would get them. Nobody enters it, and nothing is counted. */
import type { TestMessage } from "../../delivery/delivery.ts";
import { composeTestMails, type MessageTools, readTestAddresses } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid } from "../../platform/problems.ts";
import { findSubscriber, type SentCampaigns, type SubscriberView } from "../../subscribers/subscribers.ts";
import { readDraft } from "../draft.ts";
import type { EmailMessage, Graph } from "../graph-types.ts";
import { notReady } from "../problems.ts";
import { inStep, readMessage } from "../publishing/publishing.ts";
import type { AutomationRow } from "../store.ts";
import type { TestInput } from "./schema.ts";

/** So many mails at most leave for one test. */
const MOST_MAILS = 50;

export type ComposedTest =
  | {
      readonly nodes: readonly string[];
      readonly to: readonly string[];
      readonly messages: readonly TestMessage[];
      readonly isSandbox: boolean;
      /** The ids of the subscriber and the contact whose personal data is in them. */
      readonly subjects: readonly string[];
    }
  | { readonly refusal: AppError };

/** A refusal is a value here: the request may be a repetition, and its first answer stands. */
export async function composeTest(
  ctx: Ctx,
  tools: MessageTools & { readonly sent: SentCampaigns },
  row: AutomationRow,
  input: TestInput,
): Promise<ComposedTest> {
  try {
    return await compose(ctx, tools, row, input);
  } catch (error) {
    if (error instanceof AppError) return { refusal: error };
    throw error;
  }
}

async function compose(
  ctx: Ctx,
  tools: MessageTools & { readonly sent: SentCampaigns },
  row: AutomationRow,
  { to, subscriber_id: subscriberId, node }: TestInput,
): Promise<ComposedTest> {
  const addresses = readTestAddresses(to);
  const subscriber =
    subscriberId === undefined ? undefined : await requireOnList(ctx, row.list_id, subscriberId);
  const { graph, faults } = await readDraft(ctx, row.draft, tools.sent);
  if (!graph) throw notReady(faults);
  const mails = mailsOf(graph, node);
  if (mails.length * addresses.length > MOST_MAILS) {
    const detail = `that would be ${mails.length * addresses.length} mails, and ${MOST_MAILS} may leave at once: name a step, or fewer addresses`;
    throw invalid({ pointer: "/to", code: "too_many", detail });
  }
  const messages: TestMessage[] = [];
  const found: Fault[] = [];
  let isSandbox = false;
  for (const { name, written } of mails) {
    const read = await readMessage(ctx, { id: row.id, listId: row.list_id }, name, written);
    if ("faults" in read) {
      found.push(...read.faults);
      continue;
    }
    const made = await composeTestMails(ctx, tools, read.message, { addresses, subscriber, anybody: row.id });
    if ("faults" in made) found.push(...made.faults.map((fault) => inStep(name, fault, written)));
    else {
      messages.push(...made.messages);
      isSandbox = made.isSandbox;
    }
  }
  if (found.length > 0) throw notReady(found);
  return {
    nodes: mails.map(({ name }) => name),
    to: addresses,
    messages,
    isSandbox,
    subjects: subscriber ? [subscriber.id, subscriber.contact_id] : [],
  };
}

/** All e-mail steps, in the order in which they were written, or the one that is named. */
function mailsOf({ nodes }: Graph, only: string | undefined): { name: string; written: EmailMessage }[] {
  const mails = [...nodes].flatMap(([name, node]) =>
    node.type === "email" && (only === undefined || only === name) ? [{ name, written: node.message }] : [],
  );
  if (mails.length > 0) return mails;
  if (only !== undefined)
    throw invalid({
      pointer: "/node",
      code: "unknown_node",
      detail: "there is no such step that sends mail",
    });
  throw notReady([{ pointer: "/draft/nodes", code: "no_mail", detail: "no step of it sends mail" }]);
}

async function requireOnList(ctx: Ctx, listId: string, text: string): Promise<SubscriberView> {
  const id = fromPublicId("sub", text);
  const found = id && (await findSubscriber(ctx.sql, ctx.accountId, id));
  if (found && found.list_id === listId) return found;
  throw invalid({
    pointer: "/subscriber_id",
    code: "not_found",
    detail: "there is no such subscriber on its list",
  });
}
