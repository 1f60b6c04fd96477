/** A campaign as it is when it is launched: frozen, plain JSON, and all that composing its mail needs. */
import type { CompiledContent } from "../content/content.ts";
import type { Ctx } from "../platform/context.ts";
import { AppError, type Fault } from "../platform/problems.ts";
import { type Examined, examine, isUndecided, preflight, type Tools } from "./examine.ts";
import { contentBusy } from "./problems.ts";
import { contentOf, namesOf, postalAddressOf, SANDBOX_SENDER, type Setting, senderOf } from "./setting.ts";
import type { CampaignRow } from "./store.ts";

export type Revision = {
  readonly format: 1;
  readonly compiled: CompiledContent;
  readonly from: { readonly name: string | null; readonly email: string };
  readonly replyTo: string | null;
  readonly list: { readonly id: string; readonly name: string };
  readonly campaign: { readonly id: string; readonly name: string };
  readonly postalAddress: string | null;
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean };
  /** Where the links in its mail lead; the same in a resend, whoever sends it. */
  readonly publicUrl: string;
};

/** What was checked, and whether it may go: to be used on this very version alone. */
export type Launch = {
  readonly version: number;
  readonly faults: readonly Fault[];
  /** Of the account's transport that it was looked over for: by another one it mustn't leave unseen. */
  readonly ownHost: string | undefined;
  readonly isSandbox: boolean;
  /** Null where there are faults. */
  readonly revision: Revision | null;
};

/** Slow: it compiles. So it comes before the transaction that launches. */
export async function prepareLaunch(
  ctx: Ctx,
  tools: Tools,
  row: CampaignRow,
  mayBeEmpty: boolean,
): Promise<Launch> {
  const examined = await examine(ctx, tools, row);
  if (isUndecided(examined)) {
    const headers = { "retry-after": "5" };
    throw new AppError(contentBusy, "it could not be compiled just now; try again in a moment", { headers });
  }
  const faults = await preflight(ctx, row, examined, mayBeEmpty);
  const compiled = faults.length === 0 ? await compileTracked(ctx, tools, row, examined) : null;
  const revision = compiled && freeze(tools, row, examined.setting, compiled);
  const { ownHost, isSandbox } = examined.setting;
  return { version: row.version, faults, ownHost, isSandbox, revision };
}

/** The checks looked at the author's own links; what is sent may have tracked ones. */
async function compileTracked(
  { accountId }: Ctx,
  tools: Tools,
  row: CampaignRow,
  { compiled, setting }: Examined,
): Promise<CompiledContent | null> {
  const source = contentOf(row, setting, tools.served);
  if (!source.tracking.opens && !source.tracking.clicks) return compiled;
  const made = await tools.workers.compile(source, accountId);
  if (!made.ok) throw new Error(`what compiles untracked must compile tracked: ${made.faults[0]?.detail}`);
  return made.compiled;
}

export function freeze(
  tools: Pick<Tools, "publicUrl" | "served">,
  row: CampaignRow,
  setting: Setting,
  compiled: CompiledContent,
): Revision {
  const { name, email, replyTo } = senderOf(row, setting);
  return {
    format: 1,
    compiled,
    from: { name, email: email ?? SANDBOX_SENDER },
    replyTo,
    ...namesOf(row, setting),
    postalAddress: postalAddressOf(setting),
    tracking: contentOf(row, setting, tools.served).tracking,
    publicUrl: tools.publicUrl(),
  };
}
