/** What a step brought about: its mails as a campaign's report counts them, who reached a goal, and how the ways of a split compare. */
import "./step-stats.css";
import { useTranslation } from "react-i18next";
import { formatNumber, formatShare } from "../../../i18n/format.ts";
import { useEditing } from "../editor/editing.ts";
import { sayWay } from "../graph/describe.ts";
import { typeOf } from "../graph/draft.ts";
import { hasGoals, type MailCounts } from "./use-counts.ts";

export function StepStats({ id }: { id: string }) {
  const { graph, counts } = useEditing();
  const mail = counts?.mails.get(id);
  switch (typeOf(graph.nodes[id])) {
    case "email":
      return mail && mail.recipients > 0 ? <MailStats mail={mail} /> : null;
    case "goal":
      return <GoalStats id={id} />;
    case "split":
      return <SplitStats id={id} />;
    default:
      return null;
  }
}

/** A share that can't be known, because not everybody is seen, is a dash. */
const shareOf = (rate: number | null) => (rate === null ? "–" : formatShare(rate));

function MailStats({ mail }: { mail: MailCounts }) {
  const { t } = useTranslation();
  const { rates, opens, clicks } = mail;
  const large = [
    ["opened", rates.open],
    ["clicked", rates.click],
    ["left", rates.unsubscribe],
  ] as const;
  const all = [
    ["sent", mail.sent],
    ["delivered", mail.delivered],
    ["openedBy", opens.human_unique],
    ["clickedBy", clicks.human_unique],
    ["bounced", mail.bounces.total],
    ["complained", mail.complaints],
    ["unsubscribed", mail.unsubscribes],
  ] as const;
  const rest = [
    ["waiting", mail.queued],
    ["skipped", mail.skipped.total],
    ["failed", mail.failed + mail.unknown],
  ] as const;
  return (
    <section className="stack step-stats" aria-label={t("lifecycle.stats.title")}>
      {mail.delivered > 0 && (
        <dl className="step-shares">
          {large.map(([what, rate]) => (
            <div key={what}>
              <dd>{shareOf(rate)}</dd>
              <dt>{t(`lifecycle.stats.${what}`)}</dt>
            </div>
          ))}
        </dl>
      )}
      <dl className="step-numbers">
        {[...all, ...rest.filter(([, count]) => count > 0)].map(([name, count]) => (
          <div key={name}>
            <dt>{t(`lifecycle.stats.${name}`)}</dt>
            <dd>{count === null ? "–" : formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      {mail.delivered > 0 && rates.open === null && <p className="xs dim">{t("lifecycle.stats.unseen")}</p>}
    </section>
  );
}

function GoalStats({ id }: { id: string }) {
  const { t } = useTranslation();
  const { counts } = useEditing();
  const goal = counts?.goals.get(id);
  if (!counts || !goal || counts.whole.entered === 0) return null;
  return (
    <p className="sm step-stats">
      {t("lifecycle.stats.goal", {
        number: formatNumber(goal.reached),
        entered: formatNumber(counts.whole.entered),
        share: formatShare(goal.conversion),
      })}
    </p>
  );
}

function SplitStats({ id }: { id: string }) {
  const { t } = useTranslation();
  const { graph, say, counts } = useEditing();
  const ways = counts?.splits.get(id);
  if (!counts || !ways || !hasGoals(counts) || ways.every(({ taken }) => taken === 0)) return null;
  return (
    <div className="stack tight step-stats">
      <table className="step-ways-table">
        <caption className="sr">{t("lifecycle.stats.ways")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("lifecycle.stats.way")}</th>
            <th scope="col">{t("lifecycle.stats.taken")}</th>
            <th scope="col">{t("lifecycle.stats.reached")}</th>
            <th scope="col">{t("lifecycle.stats.share")}</th>
          </tr>
        </thead>
        <tbody>
          {ways.map(({ way, taken, reached, conversion }) => (
            <tr key={way}>
              <th scope="row">{sayWay(graph.nodes[id] ?? {}, `ways/${way}/next`, say)}</th>
              <td>{formatNumber(taken)}</td>
              <td>{formatNumber(reached)}</td>
              <td className="med">{taken === 0 ? "–" : formatShare(conversion)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="xs dim">{t("lifecycle.stats.holdout")}</p>
    </div>
  );
}
