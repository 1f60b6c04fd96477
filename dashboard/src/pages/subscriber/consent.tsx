import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Activity, Subscriber } from "../../api/openapi.ts";
import { Time } from "../../kit/time.tsx";
import { ShownValue } from "../../kit/value.tsx";
import { Row } from "./row.tsx";

type Evidence = Omit<NonNullable<Subscriber["consent"]>, "action" | "attested">;

/**
 * How somebody agreed. The newest proof alone isn't enough: a confirmation is newer than the consent it confirms, and
 * says neither where that was given nor to which words.
 */
export function Consent({ subscriber }: { subscriber: Subscriber }) {
  const { t } = useTranslation();
  const { consent } = subscriber;
  const isConfirmed = consent?.action === "confirmed";
  const granted = useGranted(subscriber.id, isConfirmed);
  const given: Evidence | null = granted ?? consent;
  return (
    <section className="stack">
      <h2>{t("subscriber.consent")}</h2>
      {given ? (
        <dl className="kv">
          {granted || !isConfirmed ? (
            <Row label={t("consent.when")}>
              <Time at={given.at} />
            </Row>
          ) : null}
          <Row label={t("consent.source")}>
            <ShownValue value={given.source ?? consent?.source} />
          </Row>
          <Row label={t("consent.wording")}>
            <ShownValue value={given.wording ?? consent?.wording} />
          </Row>
          <Row label={t("consent.ip")}>
            <ShownValue value={given.ip ?? consent?.ip} />
          </Row>
          {isConfirmed && (
            <Row label={t("consent.confirmed")}>
              <Time at={consent.at} />
            </Row>
          )}
        </dl>
      ) : (
        <p className="sm dim">{t("consent.none")}</p>
      )}
    </section>
  );
}

const MOST_PAGES = 5;

/** The consent that a confirmation confirms. It stands below it in the timeline, most often on the same page. */
function useGranted(id: string, isWanted: boolean): Evidence | null | undefined {
  return useQuery({
    queryKey: ["subscribers", "granted", id],
    enabled: isWanted,
    queryFn: async ({ signal }) => {
      let cursor: string | null = "";
      for (let page = 0; page < MOST_PAGES && cursor !== null; page += 1) {
        const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor && { cursor }) };
        const read: { data: readonly Activity[]; next_cursor: string | null } = await call(
          "GET /v1/subscribers/{id}/activity",
          { path: { id }, query, signal },
        );
        const found = newestGranted(read.data);
        if (found) return found;
        cursor = read.next_cursor;
      }
      return null;
    },
  }).data;
}

function newestGranted(entries: readonly Activity[]): Evidence | undefined {
  return entries
    .filter(({ type }) => type === "consent.granted")
    .map(({ data, created_at }) => ({
      at: text(data["given_at"]) ?? created_at,
      source: text(data["source"]),
      wording: text(data["wording"]),
      ip: text(data["ip"]),
    }))
    .toSorted((a, b) => b.at.localeCompare(a.at))[0];
}

const text = (value: unknown) => (typeof value === "string" ? value : null);
