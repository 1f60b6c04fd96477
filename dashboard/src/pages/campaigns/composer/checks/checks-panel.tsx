/** What was found when the campaign was last saved, the worst first, each with the way to its place. */
import "../../../../i18n/later/writing/mail-preview.ts";
import "./checks.css";
import { CircleCheck, CircleX, Info, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignCheck } from "../../../../api/openapi.ts";
import { Icon } from "../../../../kit/icon.tsx";
import { sentence } from "../../../../kit/sentence.ts";
import { type CheckGroup, countOf, groupChecks } from "./group-checks.ts";

type ChecksPanelProps = {
  checks: readonly CampaignCheck[];
  onShow: (check: CampaignCheck) => void;
  /** What an error stops. */
  stops?: "send" | "publish";
};

const PICTURES = { error: CircleX, warning: TriangleAlert, info: Info };
const COLOURS = { error: "c-danger", warning: "c-warn", info: "c-info" };

export const ChecksPanel = memo(function ChecksPanel({ checks, onShow, stops = "send" }: ChecksPanelProps) {
  const { t } = useTranslation();
  const groups = groupChecks(checks);
  return (
    <section className="checks" aria-label={t("mailPreview.checks.title")}>
      <Head groups={groups} stops={stops} />
      <ul>
        {groups.map((group) => (
          <Group
            key={`${group.severity} ${group.code} ${group.first.message}`}
            group={group}
            onShow={onShow}
          />
        ))}
      </ul>
    </section>
  );
});

function Head({ groups, stops }: { groups: readonly CheckGroup[]; stops: "send" | "publish" }) {
  const { t } = useTranslation();
  const stopping = countOf(groups, "error");
  const looking = countOf(groups, "warning");
  return (
    <div className="checks-head" role="status">
      <h2>{t("mailPreview.checks.title")}</h2>
      {stopping > 0 ? (
        <Badge of={CircleX} kind="danger" words={t("mailPreview.checks.toMend", { count: stopping })} />
      ) : looking > 0 ? (
        <Badge of={TriangleAlert} kind="warn" words={t("mailPreview.checks.toLookAt", { count: looking })} />
      ) : (
        <Badge of={CircleCheck} kind="accent" words={t("mailPreview.checks.fine")} />
      )}
      <span className="grow" />
      <span className="xs dim">
        {stopping > 0
          ? t(`mailPreview.checks.stops.${stops}`, { count: stopping })
          : t(`mailPreview.checks.nothingStops.${stops}`)}
      </span>
    </div>
  );
}

function Badge({ of, kind, words }: { of: typeof Info; kind: string; words: string }) {
  return (
    <span className={`badge ${kind}`}>
      <Icon of={of} />
      {words}
    </span>
  );
}

function Group({ group, onShow }: { group: CheckGroup; onShow: ChecksPanelProps["onShow"] }) {
  const { t } = useTranslation();
  const { severity, first, others, uncounted } = group;
  const { message, remedy } = first;
  return (
    <li>
      <span className={COLOURS[severity]}>
        <Icon of={PICTURES[severity]} />
        <span className="sr">{t(`mailPreview.checks.severity.${severity}`)}</span>
      </span>
      <div>
        <div className="med">{sentence(message)}</div>
        {first.place?.excerpt && <code className="checks-excerpt">{first.place.excerpt}</code>}
        {remedy && <div className="dim">{remedy}</div>}
        {(others.length > 0 || uncounted > 0) && (
          <div className="dim checks-others">
            {t("mailPreview.checks.also")}{" "}
            {others.map((check) => (
              <Show key={keyOf(check)} check={check} onShow={onShow} />
            ))}
            {uncounted > 0 && t("mailPreview.checks.more", { count: uncounted })}
          </div>
        )}
      </div>
      {first.place && (
        <button
          type="button"
          className="link sm"
          aria-label={t("mailPreview.checks.showWhat", { what: message })}
          onClick={() => onShow(first)}
        >
          {t("mailPreview.checks.show")}
        </button>
      )}
    </li>
  );
}

function Show({ check, onShow }: { check: CampaignCheck; onShow: ChecksPanelProps["onShow"] }) {
  const { t } = useTranslation();
  return (
    <button type="button" className="link sm" onClick={() => onShow(check)}>
      {t("mailPreview.checks.line", { line: check.place?.line ?? 0 })}
    </button>
  );
}

const keyOf = ({ place, message }: CampaignCheck) =>
  `${place?.part} ${place?.line} ${place?.column} ${message}`;
