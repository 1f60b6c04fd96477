import { addWords } from "../add-words.ts";

/** Where the content of a mail is written: code, variables, templates and pictures. */
export const editor = {
  editor: {
    label: {
      mjml: "Content, as MJML",
      html: "Content, as HTML",
      text: "Content, as text",
    },
    leaveHint: "Tab indents; Escape, then Tab leaves the editor. Ctrl and Space list what fits.",
    readOnlyHint: "It can be read and copied here, not changed.",
    variables: "Variables",
    variablesLike: "Variables that begin with “{{typed}}”",
    filters: "Filters",
    tags: "Tags",
  },
} as const;
addWords(editor);
