import type { SourceOwner } from "../../delivery/delivery.ts";
import type { NewEvent } from "../../events/events.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Case } from "./rules.ts";

/** Names the mail and its recipient as the events of sending do, and says what the report says of it. */
export function eventOf(
  owner: Pick<SourceOwner, "idsInEvents">,
  type: "email.bounced" | "email.complained" | "email.delivered",
  { report, mail }: Case,
  more: Readonly<Record<string, unknown>>,
): NewEvent {
  if (!mail) throw new Error("an event of a mail needs the mail");
  const { contactId, personId, subscriberId } = mail;
  const whose = subscriberId
    ? { subscriber_id: toPublicId("sub", subscriberId) }
    : { contact_id: toPublicId("con", personId) };
  const { reason: cause, status } = report;
  return {
    type,
    data: {
      ...owner.idsInEvents(mail, contactId),
      ...whose,
      ...more,
      ...(cause && { cause }),
      ...(status && { status }),
    },
  };
}
