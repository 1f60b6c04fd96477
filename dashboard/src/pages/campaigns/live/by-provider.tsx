/** How far each mailbox provider's share of the mail is, how fast, and which of them ask to go slower. */
import { CircleCheck, CirclePause, type LucideIcon, TriangleAlert } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignDomains, CampaignErrors } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { TallyBar } from "../tally/tally.tsx";
import { type Flow, flowOf, type Provider, providersOf } from "./providers.ts";

const LOOKS: Readonly<Record<Flow, { icon: LucideIcon; colour: string }>> = {
  done: { icon: CircleCheck, colour: "c-accent" },
  flowing: { icon: CircleCheck, colour: "c-accent" },
  slowed: { icon: TriangleAlert, colour: "c-warn" },
  waiting: { icon: CirclePause, colour: "dim" },
};

type ByProviderProps = {
  domains: CampaignDomains;
  errors: CampaignErrors | undefined;
  isMoving: boolean;
};

export function ByProvider({ domains, errors, isMoving }: ByProviderProps) {
  const { t } = useTranslation();
  const providers = providersOf(domains, errors);
  const speeds = useSpeeds(providers, domains.as_of);
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("sending.live.providers")}</h2>
        <span className="end dim hide-s">{t("sending.live.providersText")}</span>
      </div>
      <table className="providers">
        <thead>
          <tr>
            <th>{t("sending.live.provider")}</th>
            <th>{t("sending.live.flow")}</th>
            <th className="wide share">{t("sending.live.share")}</th>
            <th className="num">{t("sending.live.sent")}</th>
            <th className="num">{t("sending.live.toGo")}</th>
            <th className="num wide">{t("sending.live.speed")}</th>
          </tr>
        </thead>
        <tbody>
          {providers.map((one) => (
            <Row key={one.key} provider={one} isMoving={isMoving} speed={speeds.get(one.key)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type RowProps = { provider: Provider; isMoving: boolean; speed: number | undefined };

function Row({ provider, isMoving, speed }: RowProps) {
  const { t } = useTranslation();
  const { name, isProvider, domains, isRest, numbers, reply } = provider;
  const flow = flowOf(provider, isMoving);
  const { icon, colour } = LOOKS[flow];
  return (
    <tr>
      <td className="provider">
        <div className="med break">{isRest ? t("sending.live.others") : name}</div>
        {isProvider && <div className="dim xs break">{domainsInBrief(domains)}</div>}
        {reply && (
          <div className="mono dim trunc xs" title={reply}>
            {reply}
          </div>
        )}
      </td>
      <td>
        <span className={`state ${colour}`}>
          <Icon of={icon} size="sm" />
          <span className="state-word">{t(`sending.live.flows.${flow}`)}</span>
        </span>
      </td>
      <td className="wide share">
        <TallyBar stats={numbers} />
      </td>
      <td className="num">{formatNumber(numbers.sent)}</td>
      <td className="num mid">{formatNumber(numbers.queued)}</td>
      <td className="num wide">
        {speed === undefined || numbers.queued === 0 || !isMoving
          ? "–"
          : t("sending.live.aSecondShort", { number: formatNumber(speed) })}
      </td>
    </tr>
  );
}

const MOST_NAMED = 3;

const domainsInBrief = (domains: readonly string[]) =>
  domains.slice(0, MOST_NAMED).join(", ") + (domains.length > MOST_NAMED ? " …" : "");

/** The speed of each, from this answer and the one before it. */
function useSpeeds(providers: readonly Provider[], asOf: string): ReadonlyMap<string, number> {
  const known = useRef<{ at: number; sent: ReadonlyMap<string, number> }>(undefined);
  const speeds = useRef<ReadonlyMap<string, number>>(new Map());
  const at = Date.parse(asOf);
  if (known.current === undefined || at > known.current.at) {
    const before = known.current;
    const sent = new Map(providers.map(({ key, numbers }) => [key, numbers.sent]));
    known.current = { at, sent };
    if (before) {
      const seconds = (at - before.at) / 1_000;
      const speed = (key: string, now: number) =>
        Math.max(0, Math.round((10 * (now - (before.sent.get(key) ?? now))) / seconds) / 10);
      speeds.current = new Map([...sent].map(([key, now]) => [key, speed(key, now)]));
    }
  }
  return speeds.current;
}
