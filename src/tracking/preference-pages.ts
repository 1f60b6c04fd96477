/** What this folder asks of the floor above: the pages behind `/p/{token}`, which is a mail's link like the others. */
import type { PublicPage } from "../public-pages/public-pages.ts";
import type { LinkTarget } from "./unsubscribing/unsubscribing.ts";

type PageVisit = {
  readonly token: string;
  readonly acceptLanguage: string | undefined;
  readonly ip: string;
};

/** Either answers undefined where there is nothing to choose: then it is as the unsubscribe link. */
export type PreferencePages = {
  show(target: LinkTarget, visit: PageVisit): Promise<PublicPage | undefined>;
  /** Undefined as well where the form asks to unsubscribe. */
  act(target: LinkTarget, visit: PageVisit, sent: URLSearchParams): Promise<PublicPage | undefined>;
};
