/** Tries a server now: how far it went, in the order of what was done, and what to do about it. */
import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, CircleX, Lightbulb, type LucideIcon, RefreshCw } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Transport, TransportTest } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { TextField } from "../../../kit/forms/field.tsx";
import { Form } from "../../../kit/forms/form.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Time } from "../../../kit/time.tsx";
import { type StepLine, stepsOf } from "./test-steps.ts";

export function ServerTest({ server }: { server: Transport }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [result, setResult] = useState<TransportTest>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);

  const run = async (to: string | null) => {
    setBusy(true);
    setError(undefined);
    try {
      const path = { id: server.id };
      setResult(await call("POST /v1/transports/{id}/test", { path, ...(to && { body: { to } }) }));
      await queries.invalidateQueries({ queryKey: ["transports"] });
    } finally {
      setBusy(false);
    }
  };
  // Before the first test on this page, what the last one found is shown.
  const shown = result ?? server.last_test;
  return (
    <section className="panel" aria-label={t("serverTest.title")}>
      <div className="panel-h wrap">
        <h3>{t("serverTest.title")}</h3>
        {shown && !isBusy && <Verdict isOk={shown.ok} />}
        <span className="grow" />
        {shown && !isBusy && (
          <span className="xs dim">
            <Time at={shown.tested_at} />
          </span>
        )}
      </div>
      <div className="panel-b">
        <Form
          submit={(values) => run(values.textOrNull("to"))}
          onRefused={(refused) => {
            const isOfField = refused.faults.length > 0;
            if (!isOfField) setError(asApiError(refused));
            return !isOfField;
          }}
        >
          <p className="sm dim">{t("serverTest.lead")}</p>
          <TextField
            name="to"
            label={t("serverTest.to")}
            type="email"
            maxLength={254}
            optional
            autoComplete="email"
          />
          <div className="row wrap">
            <Button icon={RefreshCw} type="submit" busy={isBusy}>
              {shown ? t("serverTest.again") : t("serverTest.run")}
            </Button>
            <span className="sm mid" role="status">
              {isBusy && <Progress />}
            </span>
          </div>
        </Form>
      </div>
      {!isBusy && result && (
        <div className="panel-b">
          <Steps lines={stepsOf(result, server.username !== null)} />
        </div>
      )}
      {!isBusy && (error || shown) && (
        <div className="panel-b stack" role="status">
          {error && <ProblemNote error={error} />}
          {result ? <Advice result={result} /> : shown && !shown.ok && <Reply {...shown} />}
        </div>
      )}
    </section>
  );
}

/** A server that answers at once shows none of this; after a second it is said how long it has been. */
function Progress() {
  const { t } = useTranslation();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((past) => past + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds === 0 ? t("serverTest.running") : t("serverTest.runningFor", { seconds });
}

function Verdict({ isOk }: { isOk: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={isOk ? "badge accent" : "badge danger"}>
      <Icon of={isOk ? CircleCheck : CircleX} />
      {isOk ? t("serverTest.passed") : t("serverTest.refused")}
    </span>
  );
}

const LOOKS: Readonly<Record<StepLine["state"], { icon: LucideIcon; className: string }>> = {
  done: { icon: CircleCheck, className: "c-accent" },
  failed: { icon: CircleX, className: "c-danger" },
  left: { icon: CircleDashed, className: "dim" },
};

function Steps({ lines }: { lines: readonly StepLine[] }) {
  const { t } = useTranslation();
  return (
    <ul className="test-steps">
      {lines.map(({ step, state, durationMs, reply }) => (
        <li key={step}>
          <span className={LOOKS[state].className}>
            <Icon of={LOOKS[state].icon} />
            <span className="sr">{t(`serverTest.state.${state}`)}</span>
          </span>
          <div className="stack tight">
            <span className={state === "left" ? "dim" : "med"}>{t(`serverTest.steps.${step}`)}</span>
            {reply && <span className="mono xs dim break">{reply}</span>}
          </div>
          <span className="num dim xs">
            {durationMs !== null && t("serverTest.duration", { number: formatNumber(durationMs) })}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Advice({ result: { ok, advice, to, encrypted } }: { result: TransportTest }) {
  const { t } = useTranslation();
  if (!ok) {
    return (
      <div className="note danger">
        <Icon of={Lightbulb} />
        <span className="break">{advice}</span>
      </div>
    );
  }
  return (
    <>
      <div className="note accent">
        <Icon of={CircleCheck} />
        <span className="break">{to ? t("serverTest.sent", { to }) : t("serverTest.allWell")}</span>
      </div>
      {!encrypted && (
        <div className="note warn">
          <Icon of={Lightbulb} />
          <span>{t("serverTest.plain")}</span>
        </div>
      )}
    </>
  );
}

/** The server's own words. */
function Reply({ code, text }: { code: number | null; text: string | null }) {
  return <p className="mono xs break">{[code, text].filter(Boolean).join(" ")}</p>;
}
