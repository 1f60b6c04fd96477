/** What the archive asks of the floor above, where the mails of a list are known. */
import type { Queryable } from "../../platform/db/db.ts";

export type ArchivedMail = {
  readonly id: string;
  readonly name: string;
  /** As the author wrote them, with Liquid. */
  readonly subject: string;
  readonly previewText: string | null;
  readonly sentAt: Date;
};

/** A place in the archive: what is older or newer than this mail, which may have been taken out meanwhile. */
export type Place = { readonly direction: "older" | "newer"; readonly than: string };

export type ArchivedMails = {
  /** Newest first. */
  list(
    db: Queryable,
    accountId: string,
    listId: string,
    page: { readonly limit: number; readonly place: Place | null },
  ): Promise<ArchivedMail[]>;
  find(db: Queryable, accountId: string, listId: string, id: string): Promise<ArchivedMail | undefined>;
  /** The ids of the next mails above `newest` and below `oldest`; null where there is none. */
  neighbours(
    db: Queryable,
    accountId: string,
    listId: string,
    of: { readonly newest: ArchivedMail; readonly oldest: ArchivedMail },
  ): Promise<{ readonly newer: string | null; readonly older: string | null }>;
};
