/** The mails of the made-up bookshop whose account the pictures show. */

const page = (inside: string) => `<mjml>
  <mj-head>
    <mj-attributes>
      <mj-all font-family="Georgia, 'Times New Roman', serif" />
      <mj-text font-size="17px" line-height="26px" color="#23302a" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="#f3f1ea" width="600px">
    <mj-section background-color="#1f5d47" padding="18px 24px">
      <mj-column>
        <mj-text color="#ffffff" font-size="20px" letter-spacing="1px">FERNHILL BOOKS</mj-text>
      </mj-column>
    </mj-section>
${inside}
    <mj-section padding="20px 24px 32px">
      <mj-column>
        <mj-text font-size="13px" line-height="20px" color="#5d6a63">
          Fernhill Books, 4 Manor Square, Otley LS21 3AP.
          <a href="{{ unsubscribe_url }}" style="color:#1f5d47">Unsubscribe</a>
        </mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>`;

const section = (inside: string) =>
  `    <mj-section background-color="#ffffff" padding="24px"><mj-column>${inside}</mj-column></mj-section>`;
const title = (text: string) =>
  `<mj-text font-size="30px" line-height="36px" color="#12231b">${text}</mj-text>`;
const text = (words: string) => `<mj-text>${words}</mj-text>`;
const button = (words: string, url: string) =>
  `<mj-button background-color="#1f5d47" border-radius="4px" font-size="16px" align="left" href="${url}">${words}</mj-button>`;

const SHOP = "https://fernhill.bookshop";

export const LETTER = page(
  [
    section(
      title("The year’s strangest cookbook") +
        text("Dear {{ first_name | default: 'reader' }},") +
        text(
          `It has one recipe, and the recipe takes eleven months. We laughed, then we read it twice, and then Miriam cooked it. ` +
            `<a href="${SHOP}/books/the-slow-ham" style="color:#1f5d47">The Slow Ham</a> is our book of the week.`,
        ) +
        button("Read the first chapter", `${SHOP}/books/the-slow-ham/chapter-1`),
    ),
    section(
      text("<b>Also on the table</b>") +
        text(
          `Three slim volumes of poems for three pounds each, until they are gone. ` +
            `<a href="${SHOP}/poetry" style="color:#1f5d47">Look at them</a>`,
        ) +
        text(
          `On 26 November Miriam Hale is in conversation in Leeds; a few seats are left. ` +
            `<a href="${SHOP}/events/leeds" style="color:#1f5d47">Keep one</a>`,
        ),
    ),
  ].join("\n"),
);

export const EVENING = page(
  section(
    title("Miriam Hale in conversation") +
      text(
        "Dear {{ first_name | default: 'reader' }}, on Thursday 26 November, at seven, in the Leeds Library.",
      ) +
      text("There is wine, there is a book to sign, and there are ninety chairs.") +
      button("Keep a seat", `${SHOP}/events/leeds`),
  ),
);

export const CATALOGUE = page(
  section(
    title("The winter tables are laid") +
      text(
        "Dear {{ first_name | default: 'reader' }}, the winter catalogue is yours before the shop opens its doors.",
      ) +
      text("Sixty titles, chosen by four booksellers who agreed on nothing else.") +
      button("Open the catalogue", `${SHOP}/winter`),
  ),
);
