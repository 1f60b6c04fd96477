import { addWords } from "../i18n.ts";

export const editor = { editor: { title: "editor" } } as const;
addWords(editor);
