/** Growth tells who began to be active on lists and who ceased to be, by the days of a time zone. */
import { type Static, Type } from "typebox";
import type { Ctx } from "../../platform/context.ts";
import { prepared, type Queryable, sql } from "../../platform/db/db.ts";
import { Nullable, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { toPublicId } from "../../platform/ids.ts";

export const MOST_DAYS = 366;

const numbers = {
  active: Type.Integer({ description: "How many are active at its end." }),
  gained: Type.Integer({
    description: "How many began to be active: they were added, confirmed or came back.",
  }),
  lost: Type.Integer({
    description: "How many ceased to be: they unsubscribed, bounced, complained or were deleted.",
  }),
};
export const Growth = Type.Object(
  {
    object: Type.Literal("growth"),
    list_id: Nullable(PublicId("lst", "null is all lists that there are now.")),
    time_zone: Type.String(),
    as_of: Timestamp,
    ...numbers,
    data: Type.Array(Type.Object({ date: Type.String({ format: "date" }), ...numbers }), {
      description: "Each day, the last of them today.",
    }),
  },
  {
    title: "Growth",
    description:
      "For each day, `active` is that of the day before plus `gained` less `lost`. A list that was deleted is in no day.",
    examples: [
      {
        object: "growth",
        list_id: null,
        time_zone: "Europe/London",
        as_of: "2026-11-14T09:30:00.000Z",
        active: 4_871,
        gained: 31,
        lost: 4,
        data: [
          { date: "2026-11-13", active: 4_860, gained: 20, lost: 4 },
          { date: "2026-11-14", active: 4_871, gained: 11, lost: 0 },
        ],
      },
    ],
  },
);
type Growth = Static<typeof Growth>;

type Span = { readonly listId: string | undefined; readonly days: number; readonly timeZone: string };

export async function readGrowth(ctx: Ctx, { listId, days, timeZone }: Span): Promise<Growth> {
  const asOf = ctx.clock.now();
  const today = Temporal.Instant.fromEpochMilliseconds(asOf.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const dates = Array.from({ length: days }, (_, at) => today.subtract({ days: days - 1 - at }));
  const starts = dates.map((date) => new Date(date.toZonedDateTime(timeZone).epochMilliseconds));
  const { active, counted } = await readCounted(ctx.sql, ctx.accountId, listId, starts);
  const data: Growth["data"] = [];
  let activeThen = active;
  for (const [at, date] of [...dates.entries()].toReversed()) {
    const { gained = 0, lost = 0 } = counted[at + 1] ?? {};
    data.unshift({ date: date.toString(), active: activeThen, gained, lost });
    activeThen -= gained - lost;
  }
  return {
    object: "growth",
    list_id: listId === undefined ? null : toPublicId("lst", listId),
    time_zone: timeZone,
    as_of: asOf.toISOString(),
    active,
    gained: sumOf(data, "gained"),
    lost: sumOf(data, "lost"),
    data,
  };
}

function sumOf(data: Growth["data"], name: "gained" | "lost"): number {
  return data.reduce((sum, day) => sum + day[name], 0);
}

type Counted = {
  readonly active: number;
  /** By the number of the day, from 1 on. */
  readonly counted: Readonly<Record<number, { gained: number; lost: number } | undefined>>;
};

/** Reads both in one statement, so that they are of one moment. It reads a row for each list and quarter with changes. */
function readCounted(
  db: Queryable,
  accountId: string,
  listId: string | undefined,
  starts: readonly Date[],
): Promise<Counted> {
  const lists = sql`select id from lists where account_id = ${accountId} and deleted_at is null
    and (${listId ?? null}::uuid is null or id = ${listId ?? null}::uuid)`;
  return db.one<Counted>(
    prepared(sql`
      select
        (select coalesce(sum(count), 0)::bigint from list_counts
          where account_id = ${accountId} and list_id in (${lists}) and status = 'active') as active,
        (select coalesce(jsonb_object_agg(day, jsonb_build_object('gained', gained, 'lost', lost)), '{}') from (
          select width_bucket(at, ${[...starts]}::timestamptz[]) as day, sum(gained) as gained, sum(lost) as lost from (
            -- The lists and shards of a quarter are added up first: to find a quarter's day costs more than to add.
            select at, sum(gained) as gained, sum(lost) as lost from list_growth
            where account_id = ${accountId} and at >= ${starts[0]} and list_id in (${lists}) group by at
          ) as quarters group by 1
        ) as days) as counted`),
  );
}
