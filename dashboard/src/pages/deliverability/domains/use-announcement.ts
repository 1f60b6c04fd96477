import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Domain, DomainRecord } from "../../../api/openapi.ts";
import { keyOf } from "./record-state.ts";

/** A sentence for screen readers about what changed in the DNS since it was last shown; empty where nothing did. */
export function useAnnouncement(domain: Domain): string {
  const { t } = useTranslation();
  const before = useRef<Domain>(domain);
  const [text, setText] = useState("");
  useEffect(() => {
    const last = before.current;
    before.current = domain;
    const { name } = domain;
    const statusBefore = new Map(last.records.map((record) => [keyOf(record), record.status]));
    const say = (record: DomainRecord) => {
      const kind = t(`domains.kinds.${record.kind}`);
      if (record.status === "ok") return t("domains.turnedGood", { kind, name });
      return t("domains.turnedBad", { kind, name, status: t(`domains.statuses.${record.status}`) });
    };
    const changed = domain.records.filter((record) => {
      const known = statusBefore.get(keyOf(record));
      return known !== undefined && known !== record.status;
    });
    const isProvedNow = domain.status === "verified" && last.status !== "verified";
    const sentences = [...changed.map(say), ...(isProvedNow ? [t("domains.proved", { name })] : [])];
    if (sentences.length > 0) setText(sentences.join(" "));
  }, [domain, t]);
  return text;
}
