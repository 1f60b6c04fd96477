import { addWords } from "../i18n.ts";

export const sending = { sending: { title: "sending" } } as const;
addWords(sending);
