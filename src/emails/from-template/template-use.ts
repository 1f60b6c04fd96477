/** Tells whether a mail waits for its time that was made from a template, so that nobody deletes the template meanwhile. */
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { UsedBy } from "../../templates/templates.ts";
import { digestsOf } from "../sealed.ts";
import { findScheduledWith } from "../store.ts";

export function scheduledEmailFrom(secrets: Secrets): UsedBy {
  return async (db: Queryable, accountId, templateId) => {
    const terms = digestsOf(secrets, accountId, { kind: "template", id: templateId });
    const id = await findScheduledWith(db, accountId, terms);
    return id === undefined ? null : toPublicId("msg", id);
  };
}
