import { addWords } from "../add-words.ts";

export const report = { report: { title: "report" } } as const;
addWords(report);
