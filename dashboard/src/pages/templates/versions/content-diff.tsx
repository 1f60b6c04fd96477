/** What differs between two contents of a template, each part by lines. */

import { memo, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Template } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { blockLines } from "../../campaigns/composer/blocks/block-lines.ts";
import { textOfValue } from "../content/typed-value.ts";
import { cutLine, type Hunk, hunksOf, partners, shorten } from "./hunks.ts";
import { type DiffLine, diffLines } from "./line-diff.ts";

type Compared = Pick<
  Template,
  "subject" | "preview_text" | "html" | "mjml" | "blocks" | "text" | "variables"
> & {
  readonly name?: string | undefined;
};

const PARTS = ["name", "subject", "preview_text", "mjml", "html", "blocks", "text", "variables"] as const;
type Part = (typeof PARTS)[number];

/** So many lines are drawn at once without a halt; few read more. */
const SHOWN = 400;
const LONGEST_SAME = 300;

export const ContentDiff = memo(function ContentDiff({
  before,
  after,
}: {
  /** Null where there was nothing. */
  before: Compared | null;
  after: Compared;
}) {
  const { t } = useTranslation();
  const parts = useMemo(
    () =>
      PARTS.map((part) => ({ part, before: textOf(before, part), after: textOf(after, part) })).filter(
        (one) => one.before !== one.after,
      ),
    [before, after],
  );
  if (parts.length === 0) return <p className="sm mid">{t("templates.diff.same")}</p>;
  return (
    <div className="diffs">
      {parts.map(({ part, ...texts }) => (
        <PartDiff key={part} title={t(`templates.fields.${part}`)} {...texts} />
      ))}
    </div>
  );
});

/** A part as lines; each variable is one. */
function textOf(content: Compared | null, part: Part): string {
  if (content === null) return "";
  if (part === "blocks") return content.blocks === null ? "" : blockLines(content.blocks);
  if (part !== "variables") return content[part] ?? "";
  return content.variables
    .map(({ name, type, required, sample, default: preset }) =>
      [
        `${name}: ${type}`,
        ...(required ? ["required"] : []),
        ...(sample === null ? [] : [`sample ${textOfValue(sample)}`]),
        ...(preset === null ? [] : [`default ${textOfValue(preset)}`]),
      ].join(", "),
    )
    .join("\n");
}

function PartDiff({ title, before, after }: { title: string; before: string; after: string }) {
  const { t } = useTranslation();
  const { hunks, rest, against, added, removed } = useMemo(() => {
    const lines = diffLines(before, after);
    const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
    return { ...hunksOf(lines), against: partners(lines), added: count("added"), removed: count("removed") };
  }, [before, after]);
  const [most, setMost] = useState(SHOWN);
  const shown = firstLines(hunks, most);
  const left = countLines(hunks) - countLines(shown);
  return (
    <section className="stack tight">
      <h3 className="row between">
        <span className="flabel">{title}</span>
        <span className="xs dim num">
          {t("templates.diff.counted", { added: formatNumber(added), removed: formatNumber(removed) })}
        </span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className="diff code" tabIndex={0} aria-label={title}>
        {shown.map((hunk) => (
          <HunkLines key={keyOf(hunk.lines[0])} hunk={hunk} against={against} />
        ))}
        {left === 0 && <Skipped count={rest} />}
      </section>
      {left > 0 && (
        <div className="row sm mid">
          {t("templates.diff.more", { count: left, number: formatNumber(left) })}
          <Button size="sm" onClick={() => setMost(most + 5 * SHOWN)}>
            {t("templates.diff.showMore")}
          </Button>
        </div>
      )}
    </section>
  );
}

const countLines = (hunks: readonly Hunk[]) => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

function firstLines(hunks: readonly Hunk[], most: number): readonly Hunk[] {
  let left = most;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(left, 0));
    left -= hunk.lines.length;
    return lines.length > 0 ? [{ ...hunk, lines }] : [];
  });
}

const keyOf = (line: DiffLine | undefined) => `${line?.before}:${line?.after}`;

function Skipped({ count }: { count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <div className="diff-skipped">
      {t("templates.diff.sameLines", { count, number: formatNumber(count) })}
    </div>
  );
}

type HunkProps = { hunk: Hunk; against: ReadonlyMap<DiffLine, DiffLine> };

function HunkLines({ hunk: { lines, skipped }, against }: HunkProps) {
  return (
    <>
      <Skipped count={skipped} />
      {lines.map((line) => (
        <LineOfDiff key={keyOf(line)} line={line} against={against.get(line)?.text} />
      ))}
    </>
  );
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

function LineOfDiff({ line, against }: { line: DiffLine; against: string | undefined }) {
  const { t } = useTranslation();
  const { kind, text } = line;
  const { start, changed, end } = cutLine(text, against);
  return (
    <div className={`diff-line ${kind}`}>
      <span className="diff-number" aria-hidden="true">
        {line.before}
      </span>
      <span className="diff-number" aria-hidden="true">
        {line.after}
      </span>
      <span className="diff-sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      {kind === "same" ? (
        <span className="diff-text">{shorten(text, LONGEST_SAME)}</span>
      ) : (
        <span className="diff-text">
          <span className="sr">{t(`templates.diff.${kind}`)} </span>
          {start}
          {against === undefined ? changed : changed !== "" && <mark>{changed}</mark>}
          {end}
        </span>
      )}
    </div>
  );
}
