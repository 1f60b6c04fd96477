import { Link } from "@tanstack/react-router";
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleX,
  Hash,
  Hourglass,
  type LucideIcon,
  MailOpen,
  MousePointerClick,
  Pencil,
  Send,
  Tag,
  UserMinus,
  UserPlus,
  Zap,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Activity } from "../../api/openapi.ts";
import { formatClock, formatDay, formatExact } from "../../i18n/format.ts";
import { Icon } from "../../kit/icon.tsx";
import { useTags } from "../subscribers/reference-data.ts";

const LOOKS: Readonly<Record<string, readonly [LucideIcon, "on" | "warn" | "bad" | ""]>> = {
  "subscriber.created": [UserPlus, "on"],
  "subscriber.updated": [Pencil, ""],
  "subscriber.confirmed": [CircleCheck, "on"],
  "subscriber.unsubscribed": [UserMinus, ""],
  "subscriber.resubscribed": [UserPlus, "on"],
  "subscriber.suppressed": [Ban, "bad"],
  "subscriber.unsuppressed": [CircleCheck, "on"],
  "subscriber.tag_added": [Tag, ""],
  "subscriber.tag_removed": [Tag, ""],
  "subscriber.topics_changed": [Hash, ""],
  "subscriber.event_tracked": [Zap, "on"],
  "consent.granted": [CircleCheck, "on"],
  "consent.confirmed": [CircleCheck, "on"],
  "consent.withdrawn": [UserMinus, ""],
  "consent.tracking_granted": [CircleCheck, "on"],
  "consent.tracking_withdrawn": [Ban, ""],
  "consent.tracking_cleared": [CircleDashed, ""],
  "email.queued": [Hourglass, ""],
  "email.sent": [Send, "on"],
  "email.deferred": [Hourglass, "warn"],
  "email.bounced": [CircleX, "bad"],
  "email.complained": [Ban, "bad"],
  "email.failed": [CircleX, "bad"],
  "email.opened": [MailOpen, "on"],
  "email.clicked": [MousePointerClick, "on"],
};

/** One station of the timeline. A type that is new to us is shown by its own name. */
export function ActivityStop({ entry }: { entry: Activity }) {
  const { t, i18n } = useTranslation();
  const [icon, look] = LOOKS[entry.type] ?? [CircleDashed, ""];
  const isMachines = entry.data["human"] === false;
  const key = `activity.${entry.type.replace(".", "_")}${isMachines ? "_by_machine" : ""}`;
  const campaign = text(entry.data["campaign_name"]);
  const campaignId = text(entry.data["campaign_id"]);
  const shown = campaign || t("activity.goneCampaign");
  const title = i18n.exists(key)
    ? t(key as "activity.email_sent", { campaign: shown, name: text(entry.data["name"]) })
    : entry.type;
  const tags = useTags();
  const tag = tags.find(({ id }) => id === entry.data["tag_id"])?.name;
  const givenAt = text(entry.data["given_at"]);
  const given = givenAt && t("activity.givenAt", { day: formatDay(givenAt) });
  const note = [given, tag ?? noteOf(entry)].filter(Boolean).join(" · ");
  return (
    <li className={`stop ${look}`}>
      <span className="pin">
        <Icon of={icon} />
      </span>
      <div>
        <div dir="auto">
          {campaignId && campaign ? (
            <Link to="/campaigns/$id" params={{ id: campaignId }} className="link-u">
              {title}
            </Link>
          ) : (
            title
          )}
        </div>
        {note && (
          <div className="dim" dir="auto">
            {note}
          </div>
        )}
      </div>
      <time dateTime={entry.created_at} title={formatExact(entry.created_at)}>
        {formatClock(entry.created_at)}
      </time>
    </li>
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** What the entry says of itself: the fields that changed, the link, the words agreed to, the reason. */
function noteOf({ data }: Activity): string {
  const changed = Array.isArray(data["changed"]) ? data["changed"].join(", ") : "";
  return [
    changed,
    propertiesOf(data["properties"]),
    text(data["url"]),
    text(data["wording"]),
    text(data["reason"]),
    text(data["source"]),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** A program may have told anything; what is no text or number is left to the API. */
function propertiesOf(properties: unknown): string {
  if (typeof properties !== "object" || properties === null) return "";
  const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  const plain = Object.entries(properties).filter(([, value]) => isPlain(value));
  return plain
    .slice(0, MOST_PROPERTIES)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
}

const MOST_PROPERTIES = 6;
