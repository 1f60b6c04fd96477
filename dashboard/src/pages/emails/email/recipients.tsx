import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { EmailDetail } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Time } from "../../../kit/time.tsx";
import { EmailState } from "../state.tsx";
import { reasonWords, replyOf } from "./reasons.ts";

type Recipient = EmailDetail["recipients"][number];

/** So many recipients are looked up among the subscribers; a mail has fifty at most, and rarely more than a few. */
const MOST_LOOKED_UP = 10;
const KEPT_MS = 60_000;

/** Each recipient: how it stands, and what the server said last. */
export function Recipients({ recipients }: { recipients: readonly Recipient[] }) {
  const { t } = useTranslation();
  const subscribers = useSubscribers(recipients);
  return (
    <section className="stack" aria-labelledby="recipients">
      <h2 id="recipients">{t("emails.recipients", { count: recipients.length })}</h2>
      <div className="tw">
        <table className="stacked email-recipients">
          <thead>
            <tr>
              <th>{t("subscribers.address")}</th>
              <th>{t("emails.columns.status")}</th>
              <th>{t("emails.said")}</th>
              <th className="num">{t("emails.columns.when")}</th>
            </tr>
          </thead>
          <tbody>
            {recipients.map((one, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: recipients keep their order, and who was erased has no address.
              <tr key={at}>
                <td className="c-main">
                  <Address of={one} subscriberId={subscribers.get(one.email)} />
                </td>
                <td>
                  <EmailState status={one.status} />
                </td>
                <td>
                  <Said of={one} />
                </td>
                <td className="num dim">
                  <Time at={one.at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Address({ of: { email, role }, subscriberId }: { of: Recipient; subscriberId: string | undefined }) {
  const { t } = useTranslation();
  if (email === null)
    return <span className="dim">{role === null ? t("emails.notKept") : t("emails.erased")}</span>;
  return (
    <span className="email-address">
      {subscriberId ? (
        <Link
          className="link-u med break"
          to="/subscribers/$id"
          params={{ id: subscriberId }}
          title={t("emails.openSubscriber")}
        >
          <bdi>{email}</bdi>
        </Link>
      ) : (
        <bdi className="med break">{email}</bdi>
      )}
      {role !== null && role !== "to" && <span className="badge line">{t(`emails.roles.${role}`)}</span>}
    </span>
  );
}

/** The server's words; where nobody was asked, why not. */
function Said({ of: one }: { of: Recipient }) {
  const { t } = useTranslation();
  const said = replyOf(one);
  const reason = one.reason === null ? null : reasonWords(t, one.reason);
  if (said === null && reason === null) return <span className="dim">–</span>;
  return (
    <span className="stack tight">
      {reason !== null && <span className="mid">{reason}</span>}
      {said !== null && (
        <code className="email-said" dir="auto">
          {said}
        </code>
      )}
    </span>
  );
}

/** Finds which of the addresses subscribers have, by address. */
function useSubscribers(recipients: readonly Recipient[]): ReadonlyMap<string | null, string> {
  const addresses = recipients
    .flatMap(({ email }) => (email === null ? [] : [email]))
    .slice(0, MOST_LOOKED_UP);
  return useQueries({
    queries: addresses.map((email) => ({
      ...query("GET /v1/subscribers/search", { query: { email, limit: 1 } }),
      staleTime: KEPT_MS,
    })),
    combine: (found) =>
      new Map(
        found.flatMap(({ data }, nth) => {
          const [first] = data?.data ?? [];
          return first ? [[addresses[nth] ?? null, first.id] as const] : [];
        }),
      ),
  });
}
