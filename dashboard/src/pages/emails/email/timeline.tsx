import {
  CircleCheck,
  CircleHelp,
  CircleSlash,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  MailOpen,
  MousePointerClick,
  OctagonAlert,
  Send,
  Undo2,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { EmailDetail } from "../../../api/openapi.ts";
import { formatDay, formatExact, formatSecond } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { reasonWords, replyOf } from "./reasons.ts";

type Entry = EmailDetail["timeline"][number];

const LOOKS: Readonly<Record<Entry["type"], readonly [LucideIcon, "on" | "warn" | "bad" | ""]>> = {
  scheduled: [Clock, ""],
  queued: [Send, ""],
  sent: [CircleCheck, "on"],
  deferred: [Hourglass, "warn"],
  bounced: [Undo2, "bad"],
  complained: [OctagonAlert, "bad"],
  failed: [CircleX, "bad"],
  unknown: [CircleHelp, "warn"],
  skipped: [CircleSlash, ""],
  canceled: [CircleSlash, ""],
  opened: [MailOpen, "on"],
  clicked: [MousePointerClick, "on"],
};

/** What happened to the mail, in order, by day. What comes while somebody looks is read out, politely. */
export function Timeline({ email }: { email: EmailDetail }) {
  const { t } = useTranslation();
  const days = Map.groupBy(email.timeline, ({ at }) => formatDay(at));
  const isToOne = email.recipients.length === 1;
  return (
    <section className="stack" aria-labelledby="happened">
      <h2 id="happened">{t("emails.happened")}</h2>
      <div aria-live="polite" aria-relevant="additions">
        {[...days].map(([day, entries]) => (
          <div key={day}>
            <h3 className="day">{day}</h3>
            <ol className="route">
              {entries.map((entry, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and what is in order stays so.
                <Stop key={at} entry={entry} isToOne={isToOne} />
              ))}
            </ol>
          </div>
        ))}
      </div>
    </section>
  );
}

function Stop({ entry, isToOne }: { entry: Entry; isToOne: boolean }) {
  const { t } = useTranslation();
  const [icon, look] = LOOKS[entry.type];
  const said = replyOf(entry);
  const facts = [
    entry.email !== null && !isToOne && entry.email,
    entry.reason !== null && reasonWords(t, entry.reason),
    entry.attempt !== null && entry.attempt > 1 && t("emails.attempt", { number: entry.attempt }),
  ].filter((one) => typeof one === "string");
  return (
    <li className={`stop ${look}`}>
      <span className="pin">
        <Icon of={icon} />
      </span>
      <div className="email-stop">
        <div>{t(`emails.happenings.${entry.type}`)}</div>
        {facts.length > 0 && (
          <div className="dim break" dir="auto">
            {facts.join(" · ")}
          </div>
        )}
        {entry.url !== null && (
          <div className="dim break" dir="auto">
            {entry.url}
          </div>
        )}
        {said !== null && (
          <code className="email-said" dir="auto">
            {said}
          </code>
        )}
      </div>
      <time dateTime={entry.at} title={formatExact(entry.at)}>
        {formatSecond(new Date(entry.at))}
      </time>
    </li>
  );
}
