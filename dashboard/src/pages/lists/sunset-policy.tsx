/** When people of a list count as gone: the policy, whom it would mark now, and whom it has marked. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { List, SunsetPolicy as Policy, SunsetPreview } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Checkbox, TextField } from "../../kit/forms/field.tsx";
import { readValues, type Values } from "../../kit/forms/form.tsx";
import { ConfirmDialog, Dialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useAct } from "../../kit/use-act.ts";

type Props = { list: List; onClose: () => void };

/** A list without a policy answers 404, which is no failure here. */
export function SunsetPolicy({ list, onClose }: Props) {
  const { t } = useTranslation();
  // It is read once for each opening: a refresh would take away what is being typed.
  const found = useQuery({
    ...query("GET /v1/lists/{id}/sunset", { path: { id: list.id } }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const isNone = found.error !== null && asApiError(found.error).status === 404;
  if (found.data || isNone) return <PolicyForm list={list} policy={found.data} onClose={onClose} />;
  return (
    <Dialog
      title={t("sunset.title", { name: list.name })}
      onClose={onClose}
      footer={
        <Button kind="quiet" onClick={onClose}>
          {t("do.close")}
        </Button>
      }
    >
      {found.error ? (
        <Failure title={t("sunset.unreadable")} error={found.error} retry={() => void found.refetch()} />
      ) : (
        <SkeletonLines />
      )}
    </Dialog>
  );
}

function PolicyForm({ list, policy, onClose }: Props & { policy: Policy | undefined }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isEnding, setEnding] = useState(false);
  const path = { id: list.id };
  const finish = async (text: string) => {
    onClose();
    await queries.invalidateQueries({ queryKey: ["lists"] });
    notify(text);
  };
  const typed = { inputMode: "numeric", autoComplete: "off", spellCheck: false } as const;
  const marked = policy ? policy.counts.warned + policy.counts.dormant : 0;
  return (
    <FormDialog
      title={t("sunset.title", { name: list.name })}
      lead={t("sunset.lead")}
      action={t(policy ? "sunset.save" : "sunset.set")}
      onClose={onClose}
      submit={async (values) => {
        await call("PUT /v1/lists/{id}/sunset", { path, body: bodyOf(values) });
        await finish(t("sunset.saved"));
      }}
      over={
        isEnding && (
          <ConfirmDialog
            title={t("sunset.endTitle", { name: list.name })}
            lead={t("sunset.endLead", { count: marked, number: formatNumber(marked) })}
            action={t("sunset.end")}
            onClose={() => setEnding(false)}
            confirm={async () => {
              await call("DELETE /v1/lists/{id}/sunset", { path });
              await finish(t("sunset.ended"));
            }}
          />
        )
      }
    >
      {policy && <Marked listId={list.id} counts={policy.counts} />}
      <TextField
        name="days"
        label={t("sunset.days")}
        hint={t("sunset.daysHint")}
        defaultValue={policy?.days ?? 365}
        {...typed}
      />
      <TextField
        name="mails"
        label={t("sunset.mails")}
        hint={t("sunset.mailsHint")}
        defaultValue={policy?.mails ?? 12}
        {...typed}
      />
      <TextField
        name="grace_days"
        label={t("sunset.grace")}
        hint={t("sunset.graceHint")}
        defaultValue={policy?.grace_days ?? 30}
        {...typed}
      />
      <Checkbox
        name="paused"
        label={t("sunset.paused")}
        hint={t("sunset.pausedHint")}
        defaultChecked={policy?.paused ?? false}
      />
      <Preview listId={list.id} />
      {policy && (
        <div className="row">
          <Button size="sm" kind="quiet" onClick={() => setEnding(true)}>
            {t("sunset.end")}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

function Marked({ listId, counts: { warned, dormant } }: { listId: string; counts: Policy["counts"] }) {
  const { t } = useTranslation();
  return (
    <p className="row wrap sm">
      <span className="num">
        {t("sunset.marked", { warned: formatNumber(warned), dormant: formatNumber(dormant) })}
      </span>
      {dormant > 0 && (
        <Link className="link-u" to="/subscribers" search={{ list: listId, held: "dormant" }}>
          {t("sunset.showDormant")}
        </Link>
      )}
    </p>
  );
}

/** Counts by what is typed, before anything is saved. */
function Preview({ listId }: { listId: string }) {
  const { t } = useTranslation();
  const [counted, setCounted] = useState<SunsetPreview>();
  const [form, setForm] = useState<HTMLFormElement | null>(null);
  const { isBusy, run } = useAct(async () => {
    if (!form) return;
    setCounted(undefined);
    const { days, mails } = bodyOf(readValues(form));
    setCounted(
      await call("POST /v1/lists/{id}/sunset/preview", { path: { id: listId }, body: { days, mails } }),
    );
  });
  const number = counted?.count ?? 0;
  const notJudged = counted?.not_judged ?? 0;
  return (
    <div className="stack tight" ref={(place) => setForm(place?.closest("form") ?? null)}>
      <div className="row">
        <Button size="sm" busy={isBusy} onClick={run}>
          {t("sunset.count")}
        </Button>
      </div>
      <div className="stack tight sm" role="status">
        {counted?.count === null && <p className="mid">{t("sunset.tooLong")}</p>}
        {counted && counted.count !== null && (
          <p className="med num">{t("sunset.counted", { count: number, number: formatNumber(number) })}</p>
        )}
        {notJudged > 0 && (
          <p className="mid">
            {t("sunset.notJudged", { count: notJudged, number: formatNumber(notJudged) })}
          </p>
        )}
      </div>
    </div>
  );
}

/** What is no number is sent as it was typed, and the answer says what is wrong with it. */
function bodyOf(values: Values) {
  const numberOf = (name: string): number => {
    const text = values.text(name);
    return text !== "" && Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number);
  };
  return {
    days: numberOf("days"),
    mails: numberOf("mails"),
    grace_days: numberOf("grace_days"),
    paused: values.isChecked("paused"),
  };
}
