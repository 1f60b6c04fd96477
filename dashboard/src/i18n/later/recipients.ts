import { addWords } from "../i18n.ts";

export const recipients = { recipients: { title: "recipients" } } as const;
addWords(recipients);
