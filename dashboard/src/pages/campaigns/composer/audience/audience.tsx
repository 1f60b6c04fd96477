/** Whom the campaign goes to: a list, perhaps a segment of it and a topic, and how many that makes. */
import { useQuery } from "@tanstack/react-query";
import { Funnel, Hash, Users } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { pageQuery, query } from "../../../../api/queries.ts";
import { formatNumber } from "../../../../i18n/format.ts";
import { Icon } from "../../../../kit/icon.tsx";
import type { EnvelopeDrafting } from "../draft/use-envelope.ts";
import { Group } from "../group.tsx";
import { type Choice, Chooser, Found } from "./chooser.tsx";
import { AudienceCount } from "./count.tsx";

const MOST = 50;

export const Audience = memo(function Audience({ drafting }: { drafting: EnvelopeDrafting }) {
  const { t } = useTranslation();
  const { draft, faults, change } = drafting;
  const list = useQuery(query("GET /v1/lists/{id}", { path: { id: draft.list_id } }));
  const segment = useQuery({
    ...query("GET /v1/segments/{id}", { path: { id: draft.segment_id ?? "" } }),
    enabled: draft.segment_id !== null,
  });
  // A segment of one list has nobody on another.
  const belongsElsewhere = (listId: string) => {
    const of = segment.data?.list_id;
    return of !== undefined && of !== null && of !== listId;
  };
  return (
    <Group
      title={t("composer.audience.title")}
      end={
        <span className="dim">
          <Icon of={Users} size="sm" />
        </span>
      }
    >
      <Chooser
        label={t("composer.audience.list")}
        chosen={list.error ? t("composer.audience.goneList") : list.data?.name}
        placeholder={t("composer.audience.list")}
        searchLabel={t("composer.audience.searchLists")}
        fault={faults["list_id"]}
        found={(text, choose) => <Lists text={text} choose={choose} />}
        onChoose={({ id }) => change({ list_id: id, ...(belongsElsewhere(id) && { segment_id: null }) })}
      />
      <Chooser
        label={t("composer.audience.segment")}
        icon={Funnel}
        chosen={
          draft.segment_id === null
            ? null
            : segment.error
              ? t("composer.audience.goneSegment")
              : (segment.data?.name ?? "")
        }
        placeholder={t("composer.audience.everybody")}
        searchLabel={t("composer.audience.searchSegments")}
        fault={faults["segment_id"]}
        found={(text, choose) => <Segments text={text} listId={draft.list_id} choose={choose} />}
        onChoose={({ id }) => change({ segment_id: id })}
        clear={
          draft.segment_id === null
            ? undefined
            : { label: t("composer.audience.clear"), run: () => change({ segment_id: null }) }
        }
      />
      <TopicChooser drafting={drafting} />
      <AudienceCount drafting={drafting} />
    </Group>
  );
});

/** What it is about. It isn't offered where the account has no topics. */
function TopicChooser({ drafting: { draft, faults, change } }: { drafting: EnvelopeDrafting }) {
  const { t } = useTranslation();
  const { data: topics } = useQuery(pageQuery("GET /v1/topics", { query: { limit: MOST } }));
  const { topic_id: topicId } = draft;
  if (!topics || (topics.data.length === 0 && topicId === null)) return null;
  const chosen = topics.data.find(({ id }) => id === topicId)?.name;
  return (
    <Chooser
      label={t("composer.audience.topic")}
      icon={Hash}
      chosen={topicId === null ? null : (chosen ?? t("composer.audience.goneTopic"))}
      placeholder={t("composer.audience.noTopic")}
      searchLabel={t("composer.audience.searchTopics")}
      fault={faults["topic_id"]}
      found={(text, choose) => (
        <Found
          choices={topics.data.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))}
          none={t("composer.audience.noSuchTopic")}
          choose={choose}
        />
      )}
      onChoose={({ id }) => change({ topic_id: id })}
      clear={
        topicId === null
          ? undefined
          : { label: t("composer.audience.clearTopic"), run: () => change({ topic_id: null }) }
      }
    />
  );
}

type Search = { text: string; choose: (choice: Choice) => void };

function Lists({ text: q, choose }: Search) {
  const { t } = useTranslation();
  const { data } = useQuery(pageQuery("GET /v1/lists", { query: { limit: MOST, ...(q && { q }) } }));
  const choices = data?.data.map(({ id, name, counts }) => ({ id, name, note: formatNumber(counts.active) }));
  return <Found choices={choices} none={t("composer.audience.noList")} choose={choose} />;
}

/** Those of this list and those of all lists. */
function Segments({ text: q, listId, choose }: Search & { listId: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(pageQuery("GET /v1/segments", { query: { limit: MOST, ...(q && { q }) } }));
  const choices = data?.data.filter(({ list_id }) => list_id === null || list_id === listId);
  return <Found choices={choices} none={t("composer.audience.noSegment")} choose={choose} />;
}
