import { addWords } from "../i18n.ts";

export const composer = { composer: { title: "composer" } } as const;
addWords(composer);
