import type { CampaignCreate } from "../../../api/openapi.ts";

/** The ways in which a mail is written, the one for most people first. */
export const KINDS = ["blocks", "mjml", "html"] as const;

/** What a new draft begins with, because the service stores none without content: it can be sent as it is. */
const FIRST_MJML = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello {{ first_name | default: "there" }},</mj-text>
        <mj-text>Write your mail here.</mj-text>
      </mj-column>
    </mj-section>
    <mj-section>
      <mj-column>
        <mj-text font-size="12px" color="#5b6470">
          <a href="{{ unsubscribe_url }}">Unsubscribe</a>
        </mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;

const FIRST_HTML = `<p>Hello {{ first_name | default: "there" }},</p>
<p>Write your mail here.</p>
<p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
`;

export async function contentOf(kind: string): Promise<Pick<CampaignCreate, "blocks" | "mjml" | "html">> {
  if (kind === "html") return { html: FIRST_HTML };
  if (kind === "mjml") return { mjml: FIRST_MJML };
  const { firstMail } = await import("../composer/blocks/first-mail.ts");
  return { blocks: firstMail() };
}
