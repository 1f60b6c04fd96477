/** Tries the draft with one person, and shows the way with its times and reasons. */
import "../../../i18n/later/writing/mail-preview.ts";
import "../../campaigns/composer/preview/preview.css";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Simulation, SimulationInput } from "../../../api/openapi.ts";
import { ApiError, asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Drawer } from "../../../kit/overlays/drawer.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { AsWhom } from "../../campaigns/composer/preview/as-whom.tsx";
import { useEditing } from "../editor/editing.ts";
import { TagsField } from "../steps/small-fields.tsx";
import { asEvent, type Happening, Happenings } from "./happenings.tsx";
import { ShownPath } from "./shown-path.tsx";

type Props = { save: () => Promise<boolean>; onClose: () => void };

const ZONES = Intl.supportedValuesOf("timeZone");

export default function Simulate({ save, onClose }: Props) {
  const { t } = useTranslation();
  const { automationId, listId } = useEditing();
  const [subscriberId, setSubscriber] = useState<string | null>(null);
  const [firstName, setFirstName] = useState("");
  const [zone, setZone] = useState("");
  const [tags, setTags] = useState<readonly string[]>([]);
  const [from, setFrom] = useState("");
  const [happenings, setHappenings] = useState<readonly Happening[]>([]);
  const [found, setFound] = useState<Simulation>();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const [isTimeAsked, setTimeAsked] = useState(false);
  const run = async () => {
    setTimeAsked(true);
    if (happenings.some(({ at }) => at === "")) return;
    setBusy(true);
    setError(undefined);
    try {
      // What is tried is what is saved.
      await save();
      const body: SimulationInput = {
        ...(subscriberId === null
          ? {
              person: {
                ...(firstName.trim() && { first_name: firstName.trim() }),
                ...(zone && { time_zone: zone }),
                ...(tags.length > 0 && { tags }),
              },
            }
          : { subscriber_id: subscriberId }),
        ...(from && { from: new Date(from).toISOString() }),
        // What is wrong with one of them is said by the service, at its place.
        events: happenings.map(asEvent) as unknown as NonNullable<SimulationInput["events"]>,
      };
      setFound(await call("POST /v1/automations/{id}/simulate", { path: { id: automationId }, body }));
    } catch (thrown) {
      const refused = asApiError(thrown);
      setFound(undefined);
      setError(
        refused.code === "automation_not_ready"
          ? new ApiError({ ...refused.members, errors: [], detail: t("simulate.notReady") })
          : refused,
      );
    } finally {
      setBusy(false);
    }
  };
  const faultOf = (at: number, part: string) => {
    if (part === "at" && isTimeAsked && happenings[at]?.at === "") return t("simulate.eventAtMissing");
    const fault = error?.faults.find(({ pointer }) => pointer === `/events/${at}/${part}`);
    return fault && sentence(fault.detail);
  };
  return (
    <Drawer title={t("simulate.title")} lead={t("simulate.lead")} onClose={onClose}>
      <form
        className="stack-4"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <div className="row wrap">
          <AsWhom listId={listId} subscriberId={subscriberId} onSubscriber={setSubscriber} />
        </div>
        {subscriberId === null && (
          <>
            <div className="two">
              <TextField
                name="simulate-first-name"
                label={t("simulate.firstName")}
                optional
                value={firstName}
                maxLength={200}
                autoComplete="off"
                onChange={({ target }) => setFirstName(target.value)}
              />
              <SelectField
                name="simulate-zone"
                label={t("simulate.timeZone")}
                optional
                value={zone}
                options={[
                  { value: "", label: t("form.notSet") },
                  ...ZONES.map((one) => ({ value: one, label: one })),
                ]}
                onChange={({ target }) => setZone(target.value)}
              />
            </div>
            <TagsField
              label={t("simulate.tags")}
              value={tags}
              onChange={(next) => setTags((next ?? []) as readonly string[])}
            />
          </>
        )}
        <TextField
          name="simulate-from"
          label={t("simulate.from")}
          hint={t("simulate.fromHint")}
          type="datetime-local"
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        <Happenings
          happenings={happenings}
          faultOf={faultOf}
          onChange={(next) => {
            // One that was just added has no time yet, and nothing is wrong with that.
            if (next.length > happenings.length) setTimeAsked(false);
            setHappenings(next);
          }}
        />
        {error && <ProblemNote error={error} />}
        <div>
          <Button kind="primary" type="submit" icon={FlaskConical} busy={busy}>
            {found ? t("simulate.runAgain") : t("simulate.run")}
          </Button>
        </div>
      </form>
      <div role="status">{found && <ShownPath simulation={found} />}</div>
    </Drawer>
  );
}
