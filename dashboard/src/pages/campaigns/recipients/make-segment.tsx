/** Makes a segment of those to whom something happened, and shows how far that is until it is there. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { CampaignStats, RecipientSegment } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Checkbox, SelectField, TextField } from "../../../kit/forms/field.tsx";
import { Dialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import type { RecipientEvent } from "./search.ts";

type MakeSegmentProps = {
  campaignId: string;
  /** Who is shown now; the first choice. */
  event: RecipientEvent | undefined;
  machines: boolean;
  stats: CampaignStats | undefined;
  onClose: () => void;
};

export default function MakeSegment({ campaignId, event, machines, stats, onClose }: MakeSegmentProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<RecipientEvent>(event ?? "sent");
  const [made, setMade] = useState<RecipientSegment>();
  if (made) return <Progress made={made} onClose={onClose} />;
  const isOfReaders = chosen === "opened" || chosen === "clicked";
  const options = countsOf(stats).map(([value, count]) => ({
    value,
    label: t("recipients.counted", { what: t(`recipients.groups.${value}`), count }),
  }));
  return (
    <FormDialog
      title={t("recipients.segment.open")}
      lead={t("recipients.segment.lead")}
      action={t("recipients.segment.action")}
      onClose={onClose}
      submit={async (values) => {
        const body = {
          name: values.text("name"),
          event: chosen,
          include_machines: isOfReaders && values.isChecked("include_machines"),
        };
        setMade(
          await call("POST /v1/campaigns/{id}/recipients/segments", { path: { id: campaignId }, body }),
        );
      }}
    >
      <SelectField
        name="event"
        label={t("recipients.segment.who")}
        options={options}
        value={chosen}
        onChange={({ target }) => setChosen(target.value as RecipientEvent)}
      />
      {isOfReaders && (
        <Checkbox name="include_machines" label={t("recipients.machines")} defaultChecked={machines} />
      )}
      <TextField
        name="name"
        label={t("recipients.segment.name")}
        hint={t("recipients.segment.nameHint")}
        maxLength={64}
        autoComplete="off"
      />
    </FormDialog>
  );
}

/** The groups that can be made a segment, with how many are in each. Who opened isn't known where nobody was tracked in person. */
function countsOf(stats: CampaignStats | undefined): readonly (readonly [RecipientEvent, number])[] {
  if (!stats) return [];
  const counts: readonly (readonly [RecipientEvent, number | null])[] = [
    ["sent", stats.sent],
    ["opened", stats.opens.human_unique],
    ["clicked", stats.clicks.human_unique],
    ["failed", stats.failed],
    ["bounced", stats.bounces.total],
    ["unknown", stats.unknown],
    ["skipped", stats.skipped.total],
    ["unsubscribed", stats.unsubscribes],
    ["complained", stats.complaints],
  ];
  return counts.flatMap(([event, count]) => (count === null ? [] : [[event, count] as const]));
}

const LOOK_EVERY_MS = 500;

function Progress({ made, onClose }: { made: RecipientSegment; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data = made } = useQuery({
    ...query("GET /v1/campaigns/{id}/recipients/segments/{segment_id}", {
      path: { id: made.campaign_id, segment_id: made.segment_id },
    }),
    refetchInterval: ({ state }) => (state.data?.status === "completed" ? false : LOOK_EVERY_MS),
  });
  const isDone = data.status === "completed";
  useEffect(() => {
    if (isDone)
      for (const thing of ["segments", "tags", "subscribers"])
        void queries.invalidateQueries({ queryKey: [thing] });
  }, [isDone, queries]);
  const { processed, tagged } = data.counts;
  return (
    <Dialog
      title={t(isDone ? "recipients.segment.done" : "recipients.segment.making", { name: data.tag })}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.close")}
          </Button>
          <Button
            kind="primary"
            onClick={() => void navigate({ to: "/segments/$id", params: { id: data.segment_id } })}
          >
            {t("recipients.segment.goTo")}
          </Button>
        </>
      }
    >
      <div className="job" role="status">
        {!isDone && <progress aria-label={t("recipients.segment.making", { name: data.tag })} />}
        <p>{t("recipients.segment.counts", { count: tagged, tagged: formatNumber(tagged) })}</p>
        {isDone && processed > tagged && (
          <p className="dim">{t("recipients.segment.left", { count: processed - tagged })}</p>
        )}
        {!isDone && <p className="dim">{t("recipients.segment.leave")}</p>}
      </div>
    </Dialog>
  );
}
