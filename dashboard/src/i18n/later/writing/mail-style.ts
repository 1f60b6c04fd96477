import { addWords } from "../../add-words.ts";

/** The page on which an account says how its mails made of blocks look. */
export const mailStyle = {
  mailStyle: {
    title: "Mail style",
    lead: "How mails made of blocks look, unless one says otherwise. Drafts follow a change at once; what was sent or published stays as it is.",
    fonts: "Fonts",
    font: "Text",
    headingFont: "Headings",
    asText: "As the text",
    usual: "As usual ({{name}})",
    fontSize: "Size of the text, in pixels",
    fontSizeHint: "13 to 22. Empty: 16.",
    names: {
      sans: "Helvetica",
      serif: "Georgia or Times",
      mono: "Courier",
      arial: "Arial",
      georgia: "Georgia",
      tahoma: "Tahoma",
      trebuchet: "Trebuchet",
      verdana: "Verdana",
    },
    colours: "Colours",
    coloursHint:
      "Six hexadecimal digits, such as #1f3a5f. Empty: as usual. In the dark, readers' programs choose others.",
    background: "Around the mail",
    content_background: "Behind the words",
    text_colour: "Text",
    heading_colour: "Headings",
    link_colour: "Links",
    buttons: "Buttons",
    button_background: "Ground",
    button_colour: "Words on it",
    buttonRadius: "Round corners, in pixels",
    buttonRadiusHint: "0 to 40. Empty: 6.",
    width: "Width of the mail, in pixels",
    widthHint: "320 to 720. Empty: 600.",
    pick: "Pick: {{what}}",
    sample: "So it will look",
    sampleTitle: "The winter catalogue",
    sampleText: "The shop opens on Thursday, and ",
    sampleLink: "all of it is here",
    sampleButton: "Open the catalogue",
    clear: "Back to the usual style",
  },
};

addWords(mailStyle);
