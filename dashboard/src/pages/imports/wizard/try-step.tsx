/** The dry run: the whole file is read and checked, and nothing is changed. */
import { ArrowLeft, ArrowRight, Ban, CircleAlert, Info, RefreshCw } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { isMoving } from "../../../api/import-status.ts";
import type { Import } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { AddressFindings } from "../address-findings.tsx";
import { Effects } from "../effects.tsx";
import { RowFaults } from "../row-faults.tsx";
import { ImportSum, ImportTally } from "../tally.tsx";
import { useImport } from "../use-import.ts";
import { signatureOf } from "./draft.ts";
import { Sending } from "./sending.tsx";
import type { StepProps } from "./step-props.ts";
import { useSend } from "./use-send.ts";

export function TryStep({ draft, change, go, onImported }: StepProps & { onImported: (id: string) => void }) {
  const { t } = useTranslation();
  const trial = useSend({ draft, change }, true);
  const real = useSend({ draft, change }, false);
  const signature = signatureOf(draft);
  const id = draft.trial?.of === signature ? draft.trial.id : undefined;
  const found = useImport(id);
  const tried = found.data;
  const begun = useRef<string>(undefined);

  const tryIt = async () => {
    begun.current = signature;
    const made = await trial.send();
    if (made) change({ trial: { id: made.id, of: signature } });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is tried once for what the file and its options are.
  useEffect(() => {
    if (!id && begun.current !== signature) void tryIt();
  }, [id, signature]);

  const importIt = async () => {
    const made = await real.send();
    if (made) onImported(made.id);
  };
  const share = trial.share ?? real.share;
  const error = trial.error ?? real.error;
  const good = tried?.status === "completed" ? (tried.counts.total ?? 0) - tried.counts.failed : 0;
  return (
    <>
      <div className="body stack-6 wizard-result">
        {share !== undefined && <Sending share={share} />}
        {tried ? (
          <Tried one={tried} />
        ) : found.error ? (
          <Failure
            title={t("imports.unreadableOne")}
            error={found.error}
            retry={() => void found.refetch()}
          />
        ) : (
          id && <SkeletonLines lines={4} />
        )}
        {error && <ProblemNote error={error} />}
      </div>
      <footer className="wizard-foot">
        <Button kind="quiet" icon={ArrowLeft} onClick={() => go("columns")}>
          {t("wizard.back")}
        </Button>
        <span className="sm dim hide-s">{t(`wizard.try.after.${draft.target}`)}</span>
        <span className="grow" />
        {!tried && trial.error && (
          <Button kind="primary" icon={RefreshCw} onClick={() => void tryIt()}>
            {t("do.tryAgain")}
          </Button>
        )}
        {good > 0 && draft.target === "subscribers" && (
          <Button kind="primary" icon={ArrowRight} onClick={() => go("consent")}>
            {t("wizard.try.next", { count: good, number: formatNumber(good) })}
          </Button>
        )}
        {good > 0 && draft.target === "suppressions" && (
          <Button kind="primary" icon={Ban} busy={real.isSending} onClick={() => void importIt()}>
            {t("wizard.try.suppress", { count: good, number: formatNumber(good) })}
          </Button>
        )}
      </footer>
    </>
  );
}

function Tried({ one }: { one: Import }) {
  const { t } = useTranslation();
  return (
    <>
      <section className="stack-4" aria-label={t("wizard.steps.try")}>
        <p className="import-said med" aria-live="polite">
          <Result one={one} />
        </p>
        <ImportTally of={one} />
        <ImportSum of={one} />
        {isMoving(one) && (
          <p className="sm dim num">{t("imports.percent", { percent: one.progress.percent })}</p>
        )}
      </section>
      {one.error && (
        <div className="note danger" role="alert">
          <Icon of={CircleAlert} />
          <span>{sentence(one.error.detail)}</span>
        </div>
      )}
      {one.warnings.map(({ code, detail }) => (
        <div key={code + detail} className="note warn">
          <Icon of={Info} />
          <span>{sentence(detail)}</span>
        </div>
      ))}
      <Effects of={one} />
      <AddressFindings of={one} />
      {one.counts.failed > 0 && !isMoving(one) && <RowFaults id={one.id} failed={one.counts.failed} />}
    </>
  );
}

/** What would happen, the numbers first. */
function Result({ one }: { one: Import }) {
  const { t } = useTranslation();
  const { created, updated, skipped } = one.counts;
  if (one.status === "failed") return t("wizard.try.failed");
  if (one.status === "canceled") return t("imports.states.canceled");
  if (isMoving(one)) return t("wizard.try.reading");
  const there = updated + skipped;
  const words = one.target === "suppressions" ? "suppressed" : "joined";
  const joined = t(`wizard.try.${words}`, { count: created, number: formatNumber(created) });
  if (there === 0) return `${joined}.`;
  return `${joined}, ${t("wizard.try.there", { count: there, number: formatNumber(there) })}`;
}
