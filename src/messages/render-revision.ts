/** Renders a frozen revision as it was sent to somebody, for whoever wants to see the mail in a browser. */
import type { ContentFault, ContentWorkers } from "../content/content.ts";
import { fillSlots } from "../mail/mime/pieces.ts";
import type { MergeValues } from "../subscribers/subscribers.ts";
import type { RenderedMessage } from "./examine.ts";
import { type HitTokens, linksFor } from "./link-tokens.ts";
import type { Revision } from "./revision.ts";

/** A picture of one pixel that is fetched from nowhere: looking at the page is no open of the mail. */
const NO_PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** The links in it are those of the mail, so that clicks on the page count as those in the mail do. */
export async function renderRevision(
  workers: Pick<ContentWorkers, "render">,
  accountId: string,
  revision: Revision,
  subscriber: MergeValues,
  { token, hitTokens }: { readonly token: string; readonly hitTokens: HitTokens },
): Promise<{ ok: true; message: RenderedMessage } | { ok: false; fault: ContentFault }> {
  const { compiled, list, campaign, postalAddress, publicUrl } = revision;
  const urls = { ...linksFor(publicUrl, token, hitTokens), pixel: NO_PIXEL };
  const rendered = await workers.render(
    compiled,
    { subscriber, list, campaign, postalAddress, urls },
    accountId,
  );
  if (!rendered.ok) return rendered;
  const { values } = rendered;
  return {
    ok: true,
    message: {
      subject: fillSlots(compiled.subject, values),
      html: compiled.html && fillSlots(compiled.html, values),
      text: fillSlots(compiled.text, values),
    },
  };
}
