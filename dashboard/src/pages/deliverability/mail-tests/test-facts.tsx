import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { MailTest } from "../../../api/openapi.ts";
import { formatBytes } from "../../../i18n/format.ts";
import { Time } from "../../../kit/time.tsx";

/** How the mail left and how it came. */
export function TestFacts({ test }: { test: MailTest }) {
  const { t } = useTranslation();
  const { report } = test;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t("mailTests.subject"), test.subject],
    [t("mailTests.from"), test.from],
    [t("mailTests.by"), test.transport_name],
    ...(test.address ? [[t("mailTests.sentTo"), <Mono key="to">{test.address}</Mono>] as const] : []),
    ...(test.sent_at ? [[t("mailTests.sentAt"), <Time key="sent" at={test.sent_at} />] as const] : []),
    ...(test.reply ? [[t("mailTests.reply"), <Mono key="reply">{test.reply}</Mono>] as const] : []),
    ...(test.arrived_at
      ? [[t("mailTests.arrivedAt"), <Time key="arrived" at={test.arrived_at} />] as const]
      : []),
    ...(report
      ? [
          [t("mailTests.ip"), <Mono key="ip">{report.ip}</Mono>] as const,
          [t("mailTests.helo"), <Mono key="helo">{report.helo}</Mono>] as const,
          [t("mailTests.tls"), report.tls ?? t("mailTests.clear")] as const,
          [t("mailTests.size"), formatBytes(report.bytes)] as const,
        ]
      : []),
  ];
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("mailTests.facts")}</h2>
      </div>
      <dl className="kv test-facts">
        {facts.map(([label, value]) => (
          <div key={label} className="test-fact">
            <dt>{label}</dt>
            <dd className="break" dir="auto">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      {report?.is_egress_known && <p className="sm mid">{t("mailTests.egressLearnt")}</p>}
    </section>
  );
}

const Mono = ({ children }: { children: ReactNode }) => <span className="mono break">{children}</span>;
