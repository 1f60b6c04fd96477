/** The checklist of the first days: from nothing to a first sent campaign. */
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Account } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { ApiAside } from "../api-aside.tsx";
import { Sections } from "../overview.tsx";
import { CampaignStep } from "./campaign-step.tsx";
import { SenderStep } from "./sender-step.tsx";
import { ServerStep } from "./server-step.tsx";
import { SubscribersStep } from "./subscribers-step.tsx";
import { TrackingStep } from "./tracking-step.tsx";
import { type FirstStepsState, type Step, type StepName, useFirstSteps } from "./use-first-steps.ts";
import { useKeepChecklist } from "./use-keep-checklist.tsx";

export function FirstSteps({ account, userName }: { account: Account; userName: string }) {
  const { t } = useTranslation();
  const greeting = t(greetingAt(new Date().getHours()));
  const { state, error, retry } = useFirstSteps(account);
  const { keep, refusal } = useKeepChecklist();
  const dismiss = async () => {
    if (!(await keep({ dismissed: true }))) return;
    notify(t("first.dismissed"), { label: t("do.undo"), run: () => void keep({ dismissed: false }) });
  };
  if (error) return <Failure title={t("home.unreadable")} error={error} retry={retry} />;
  const isOver = state?.steps.every(({ isDone, isSkipped }) => isDone || isSkipped);
  return (
    <>
      <PageHead
        title={userName ? t("first.greeting", { greeting, name: userName }) : greeting}
        sub={isOver ? t("first.allDone") : state && !state.isSandbox ? t("first.leadLive") : t("first.lead")}
        actions={
          <Button kind={isOver ? "primary" : "quiet"} icon={X} onClick={() => void dismiss()}>
            {t("first.dismiss")}
          </Button>
        }
      />
      <div className="first">
        {state ? (
          <div className="stack-4">
            {refusal}
            <Steps account={account} state={state} skip={(name) => void keep(skipping(account, name))} />
          </div>
        ) : (
          <SkeletonLines />
        )}
        <ApiAside />
      </div>
      {state?.hasSent && <Sections account={account} mayChange />}
    </>
  );
}

const skipping = ({ checklist }: Account, name: StepName) => ({
  skipped: [...checklist.skipped.filter((one) => one !== name), name],
});

function greetingAt(hour: number): "first.morning" | "first.afternoon" | "first.evening" {
  if (hour >= 4 && hour < 12) return "first.morning";
  return hour >= 12 && hour < 18 ? "first.afternoon" : "first.evening";
}

type StepsProps = { account: Account; state: FirstStepsState; skip: (name: StepName) => void };

function Steps({ account, state, skip }: StepsProps) {
  const { t } = useTranslation();
  const next = state.steps.find(({ isDone, isSkipped }) => !isDone && !isSkipped)?.name;
  const [chosen, setChosen] = useState<StepName>();
  // A step that was opened by hand stays open until it is done; then the next one opens by itself.
  const isChosenOpen = state.steps.some(({ name, isDone }) => name === chosen && !isDone);
  const open = isChosenOpen ? chosen : next;
  const titles: Record<StepName, [title: string, later: string]> = {
    sender: [t("first.sender"), t("first.senderLater")],
    tracking: [t("first.tracking"), t("first.trackingLater")],
    subscribers: [t("first.subscribers"), t("first.subscribersLater")],
    sending_server: [t("first.server"), t("first.serverLater")],
    campaign: [t("first.campaign"), t("first.campaignLater")],
  };
  const inside: Record<StepName, () => ReactNode> = {
    sender: () => <SenderStep />,
    tracking: () => <TrackingStep />,
    subscribers: () => <SubscribersStep />,
    sending_server: () => <ServerStep />,
    campaign: () => <CampaignStep sample={state.sample} isDone={state.hasSent} />,
  };
  return (
    <ol className="ck" aria-label={t("first.steps")}>
      {state.steps.map((step, at) => (
        <StepLine
          key={step.name}
          step={step}
          number={at + 1}
          title={titles[step.name][0]}
          note={<StepNote step={step} account={account} state={state} later={titles[step.name][1]} />}
          isOpen={step.name === open}
          onOpen={() => setChosen(step.name)}
          skipLabel={step.name === "sending_server" ? t("first.serverSkip") : t("first.skip")}
          skip={() => {
            setChosen(undefined);
            skip(step.name);
          }}
        >
          {inside[step.name]()}
        </StepLine>
      ))}
    </ol>
  );
}

type LineProps = {
  step: Step;
  number: number;
  title: string;
  note: ReactNode;
  isOpen: boolean;
  onOpen: () => void;
  skipLabel: string;
  skip: () => void;
  children: ReactNode;
};

function StepLine({ step, number, title, note, isOpen, onOpen, skipLabel, skip, children }: LineProps) {
  const { t } = useTranslation();
  const { isDone, isSkipped } = step;
  return (
    <li className={isDone ? "done" : isOpen ? "now" : "later"} data-step={step.name}>
      <span className="no" aria-hidden="true">
        {isDone ? <Icon of={Check} size="sm" /> : number}
      </span>
      <div>
        <h2 className="t">
          {isDone || isOpen ? (
            title
          ) : (
            <button type="button" className="t-button" aria-expanded={false} onClick={onOpen}>
              {title}
            </button>
          )}
          <span className="sr">
            {" "}
            {isDone ? t("first.done") : isSkipped ? t("first.skipped") : t("first.notDone")}
          </span>
        </h2>
        {!isOpen && <div className="sm dim break">{note}</div>}
        {isOpen && !isDone && (
          <div className="card">
            {children}
            {!isSkipped && (
              <button type="button" className="text-button" onClick={skip}>
                {skipLabel}
              </button>
            )}
          </div>
        )}
        {isDone && step.name === "campaign" && children}
      </div>
    </li>
  );
}

type NoteProps = { step: Step; account: Account; state: FirstStepsState; later: string };

/** The line under a step that isn't open: what it came to, or what it will be about. */
function StepNote({ step: { name, isDone, isSkipped }, account, state, later }: NoteProps) {
  const { t } = useTranslation();
  if (isSkipped) return t("first.skipped");
  if (!isDone) return later;
  if (name === "sender") return [account.from_name, account.from_email].filter(Boolean).join(" · ");
  if (name === "tracking") return account.tracking && t(`first.mode.${account.tracking}`);
  if (name === "subscribers") return <SubscribersNote state={state} />;
  return null;
}

function SubscribersNote({ state: { sample } }: Pick<NoteProps, "state">) {
  const { t } = useTranslation();
  const { subscribers: count } = sample;
  if (count === 0) return t("first.subscribersDone");
  return (
    <span className="row wrap">
      {t("first.sampleThere", { count, number: formatNumber(count) })}
      <Link to="/" search={{ remove: "sample" }} className="link">
        {t("sample.remove")}
      </Link>
    </span>
  );
}
