import { LANGUAGE } from "./i18n.ts";

const namedMonth = new Intl.DateTimeFormat(LANGUAGE, { month: "long", year: "numeric", timeZone: "UTC" });

/** A month without a time, such as 2026-11, as November 2026. */
export const formatNamedMonth = (name: string) => namedMonth.format(new Date(name));
