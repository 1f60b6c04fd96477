import { addWords } from "../i18n.ts";

export const mailPreview = { mailPreview: { title: "mailPreview" } } as const;
addWords(mailPreview);
