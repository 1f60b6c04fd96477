/** What a new draft begins with, because the service stores none without content: it can be sent as it is. */
export const FIRST_CONTENT = `<mjml>
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
