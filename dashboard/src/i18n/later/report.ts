import { addWords } from "../i18n.ts";

export const report = { report: { title: "report" } } as const;
addWords(report);
