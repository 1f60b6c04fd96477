/** What was put in by hand so far: how far it is, how many entered, and why others didn't. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { AutomationEnrollment } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Time } from "../../../kit/time.tsx";
import { useAct } from "../../../kit/use-act.ts";

const SHOWN = 5;
const EVERY_MS = 2_000;

const isUnderWay = ({ status }: AutomationEnrollment) => status === "queued" || status === "running";

export function Enrollments({ automationId: id }: { automationId: string }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...query("GET /v1/automations/{id}/enrollments", { path: { id }, query: { limit: SHOWN } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? EVERY_MS : false),
  });
  if (!data || data.data.length === 0) return null;
  return (
    <section className="stack" aria-label={t("enrol.earlier")}>
      <h3>{t("enrol.earlier")}</h3>
      <ul className="path">
        {data.data.map((one) => (
          <EnrollmentItem key={one.id} enrollment={one} />
        ))}
      </ul>
    </section>
  );
}

const SKIPPED = [
  "filter",
  "inside",
  "reentry",
  "limit",
  "not_found",
  "unsubscribed",
  "bounced",
  "suppressed",
] as const;
const ERRORS = ["automation_ended", "list_deleted", "segment_deleted"] as const;

function EnrollmentItem({ enrollment }: { enrollment: AutomationEnrollment }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, automation_id, whom, status, total, processed, entered, skipped, error } = enrollment;
  const stop = useAct(async () => {
    const path = { id: automation_id, enrollment_id: id };
    await call("POST /v1/automations/{id}/enrollments/{enrollment_id}/cancel", { path });
    await queries.invalidateQueries({ queryKey: ["automations"] });
  });
  const skippedText = Object.entries(skipped).map(([reason, count]) => {
    const known = SKIPPED.find((one) => one === reason);
    return t(`enrol.skipped.${known ?? "other"}`, { number: formatNumber(count), reason });
  });
  const isRunning = isUnderWay(enrollment);
  return (
    <li>
      <div className="job grow">
        <div className="row between">
          <span className="med">{t(`enrol.whoms.${whom}`)}</span>
          <span className="sm mid">
            {t(`enrol.status.${status}`)} · <Time at={enrollment.created_at} />
          </span>
        </div>
        {isRunning && (
          <>
            <progress
              aria-label={t(`enrol.whoms.${whom}`)}
              max={Math.max(1, total ?? 1)}
              value={total === null ? 0 : processed}
            />
            <div className="row between sm mid">
              <span>
                {total === null
                  ? t("enrol.counting")
                  : t("enrol.progress", { processed: formatNumber(processed), total: formatNumber(total) })}
              </span>
              <Button size="sm" needs="automations:send" busy={stop.isBusy} onClick={stop.run}>
                {t("enrol.stop")}
              </Button>
            </div>
          </>
        )}
        <span className="sm">
          {[t("enrol.entered", { count: entered, number: formatNumber(entered) }), ...skippedText].join(
            " · ",
          )}
        </span>
        {status === "failed" && (
          <span className="sm c-danger">
            {t(`enrol.errors.${ERRORS.find((one) => one === error) ?? "other"}`)}
          </span>
        )}
      </div>
    </li>
  );
}
