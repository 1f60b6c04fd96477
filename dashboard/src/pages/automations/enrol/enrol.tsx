/** Puts people into an automation by hand, and shows how far that is. */
import "../../../i18n/later/automations/enrolling.ts";
import { useQueryClient } from "@tanstack/react-query";
import { UserPlus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Automation, AutomationEnrollmentInput } from "../../../api/openapi.ts";
import { ApiError, asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Drawer } from "../../../kit/overlays/drawer.tsx";
import { AsWhom } from "../../campaigns/composer/preview/as-whom.tsx";
import { useSegments } from "../editor/use-names.ts";
import { usePerson } from "../runs/use-person.ts";
import { Enrollments } from "./enrollments.tsx";

const WHOM = ["subscribers", "segment", "everyone"] as const;
type Whom = (typeof WHOM)[number];
const MOST_MINUTES = 43_200;

export default function Enrol({ automation, onClose }: { automation: Automation; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const segments = useSegments();
  const [whom, setWhom] = useState<Whom>("subscribers");
  const [people, setPeople] = useState<readonly string[]>([]);
  const [segmentId, setSegment] = useState("");
  const [minutes, setMinutes] = useState("0");
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const path = { id: automation.id };
  const enrol = async () => {
    const fault = faultOf(whom, people, segmentId, minutes);
    setError(fault && new ApiError({ code: "invalid", detail: t(`enrol.${fault}`) }));
    if (fault) return;
    const body: AutomationEnrollmentInput = {
      ...(whom === "subscribers" && { subscriber_ids: people }),
      ...(whom === "segment" && { segment_id: segmentId }),
      ...(whom === "everyone" && { everyone: true }),
      ...(Number(minutes) > 0 && { spread_minutes: Number(minutes) }),
    };
    setBusy(true);
    try {
      await call("POST /v1/automations/{id}/enrollments", { path, body });
      setPeople([]);
      await queries.invalidateQueries({ queryKey: ["automations"] });
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Drawer title={t("enrol.title")} lead={t("enrol.lead")} onClose={onClose}>
      <form
        className="stack-4"
        onSubmit={(event) => {
          event.preventDefault();
          void enrol();
        }}
      >
        <SelectField
          name="enrol-whom"
          label={t("enrol.whom")}
          value={whom}
          options={WHOM.map((value) => ({ value, label: t(`enrol.${value}`) }))}
          onChange={({ target }) => setWhom(target.value as Whom)}
        />
        {whom === "subscribers" && (
          <>
            <div className="row wrap">
              <AsWhom
                listId={automation.list_id}
                subscriberId={null}
                onSubscriber={(id) => id !== null && setPeople([...new Set([...people, id])])}
                label={t("enrol.add")}
                nobody={t("enrol.nobody")}
              />
            </div>
            {people.length > 0 && (
              <ul className="row wrap tags" aria-label={t("enrol.chosen")}>
                {people.map((id) => (
                  <Chosen key={id} id={id} remove={() => setPeople(people.filter((one) => one !== id))} />
                ))}
              </ul>
            )}
          </>
        )}
        {whom === "segment" && (
          <SelectField
            name="enrol-segment"
            label={t("enrol.segmentLabel")}
            value={segmentId}
            options={[
              { value: "", label: t("form.notSet") },
              ...segments.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={({ target }) => setSegment(target.value)}
          />
        )}
        {whom === "everyone" && <p className="note warn">{t("enrol.everyoneLead")}</p>}
        <TextField
          name="enrol-minutes"
          label={t("enrol.spread")}
          hint={t("enrol.spreadHint")}
          inputMode="numeric"
          value={minutes}
          onChange={({ target }) => setMinutes(target.value)}
        />
        {error && <ProblemNote error={error} />}
        <div>
          <Button kind="go" type="submit" icon={UserPlus} busy={busy}>
            {t("enrol.submit")}
          </Button>
        </div>
      </form>
      <Enrollments automationId={automation.id} />
    </Drawer>
  );
}

function faultOf(whom: Whom, people: readonly string[], segmentId: string, minutes: string) {
  if (whom === "subscribers" && people.length === 0) return "needed";
  if (whom === "segment" && segmentId === "") return "neededSegment";
  return /^\d{1,5}$/.test(minutes) && Number(minutes) <= MOST_MINUTES ? undefined : "minutes";
}

function Chosen({ id, remove }: { id: string; remove: () => void }) {
  const { t } = useTranslation();
  const { name = "…" } = usePerson(id);
  return (
    <li className="chip">
      <span className="v" dir="auto">
        {name}
      </span>
      <button
        type="button"
        className="btn btn-quiet btn-sm btn-icon"
        aria-label={t("enrol.remove", { name })}
        onClick={remove}
      >
        <Icon of={X} size="sm" />
      </button>
    </li>
  );
}
