/** Beside the rules: how many match now, what each rule does to the number, and some of those who match. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { SegmentPreview } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { formatClock, formatNumber } from "../../i18n/format.ts";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { nodeOf } from "./rules/edit-tree.ts";
import { partsOf, type Say, textOf } from "./rules/sentence.ts";
import type { Group } from "./rules/tree.ts";
import type { usePreview } from "./use-preview.ts";

type Props = {
  preview: ReturnType<typeof usePreview>;
  root: Group;
  listId: string | null;
  say: Say;
};

export function Preview({ preview, root, listId, say }: Props) {
  const { t } = useTranslation();
  const { data, error, isAsked, isFetching, unfinished, written } = preview;
  const isWrong = error !== null && !isFetching;
  const shown = isAsked && data && !isWrong ? data : undefined;
  return (
    <aside className="segment-side" aria-label={t("preview.title")} aria-busy={isFetching}>
      <section className="stack">
        <div className="row between">
          <h2 className="label">{t("preview.now")}</h2>
          <span className="xs dim">
            {isFetching ? t("preview.counting") : shown && <AsOf at={preview.dataUpdatedAt} />}
          </span>
        </div>
        {shown && (
          <div className={isFetching ? "segment-count dim" : "segment-count"} aria-live="polite">
            {shown.count === null ? t("segments.notCounted") : formatNumber(shown.count)}
          </div>
        )}
        {shown?.count === null && <p className="sm mid">{t("segments.notCountedText")}</p>}
        {!isAsked && <p className="sm mid">{t("builder.empty")}</p>}
        {isWrong && <Wrong error={error} />}
        {unfinished > 0 && <p className="sm mid">{t("preview.unfinished", { count: unfinished })}</p>}
      </section>
      {shown?.steps && (
        <Steps
          steps={shown.steps}
          label={(pointer) => {
            const node = nodeOf(root, written?.places.get(pointer) ?? "");
            // What stands around the group holds for each of its rules.
            const isNot = root.nots % 2 === 1;
            return node && textOf(partsOf(isNot ? { ...node, nots: node.nots + 1 } : node, say, false));
          }}
          first={listId === null ? t("preview.onAll") : t("preview.onList")}
        />
      )}
      {shown && <Sample sample={shown.sample} />}
    </aside>
  );
}

function AsOf({ at }: { at: number }) {
  const { t } = useTranslation();
  return t("preview.asOf", { time: formatClock(new Date(at).toISOString()) });
}

/** Faults of rules stand at the rules; anything else is said here. */
function Wrong({ error }: { error: Error }) {
  const { t } = useTranslation();
  const problem = asApiError(error);
  const areOfRules = problem.faults.every(({ pointer }) => pointer?.startsWith("/rules"));
  if (problem.faults.length > 0 && areOfRules) return <p className="sm mid">{t("preview.wrong")}</p>;
  return <ProblemNote error={problem} />;
}

type StepsProps = {
  steps: NonNullable<SegmentPreview["steps"]>;
  label: (pointer: string) => string | undefined;
  first: string;
};

function Steps({ steps, label, first }: StepsProps) {
  const { t } = useTranslation();
  const isAny = steps.rules.some(({ alone }) => alone !== null);
  const of = steps.from ?? 0;
  return (
    <section className="stack">
      <h2 className="label">{isAny ? t("preview.adds") : t("preview.keeps")}</h2>
      <ol className="segment-steps">
        <Step label={first} count={steps.from} of={of} />
        {steps.rules.map(({ pointer, count, alone }) => {
          const text = label(pointer);
          if (text === undefined) return null;
          return <Step key={pointer} label={text} count={count} of={of} alone={alone} />;
        })}
      </ol>
    </section>
  );
}

type StepProps = { label: string; count: number | null; of: number; alone?: number | null };

function Step({ label, count, of, alone = null }: StepProps) {
  const { t } = useTranslation();
  const share = of > 0 && count !== null ? (100 * count) / of : 0;
  return (
    <li className="stack tight">
      <div className="row between sm top">
        <span className="mid clamp break">{label}</span>
        <span className="num med nowrap">
          {count === null ? t("segments.notCounted") : formatNumber(count)}
        </span>
      </div>
      <div className="meter">
        <i style={{ width: `${share}%` }} />
      </div>
      {alone !== null && alone !== count && (
        <span className="xs dim">{t("preview.alone", { number: formatNumber(alone) })}</span>
      )}
    </li>
  );
}

function Sample({ sample }: { sample: SegmentPreview["sample"] }) {
  const { t } = useTranslation();
  return (
    <section className="stack">
      <h2 className="label">{t("preview.sample")}</h2>
      {sample === null && <p className="sm mid">{t("preview.sampleUnknown")}</p>}
      {sample?.length === 0 && <p className="sm mid">{t("preview.nobody")}</p>}
      {sample && sample.length > 0 && (
        <ul className="segment-people">
          {sample.map(({ id, email, first_name, last_name }) => (
            <li key={id}>
              <Link to="/subscribers/$id" params={{ id }} className="trunc">
                {email}
              </Link>
              <span className="dim xs trunc" dir="auto">
                {[first_name, last_name].filter(Boolean).join(" ")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
