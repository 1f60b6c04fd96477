/** Writes a document of blocks as MJML, in a thread that can be killed. */
import { getAccount } from "../../accounts/accounts.ts";
import { type BlocksDocument, findBlockFaults, inStyleOf } from "../../content/content.ts";
import type { Ctx } from "../../platform/context.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import { faultsOfContent, type MessageTools } from "../checking/checking.ts";
import { contentBusy } from "../problems.ts";

export async function writeMjml(ctx: Ctx, tools: MessageTools, document: BlocksDocument): Promise<string> {
  const faults = findBlockFaults(document, null);
  if (faults.length > 0) throw invalid(...faults);
  const styled = inStyleOf(document, await getAccount(ctx.sql, ctx.accountId));
  const made = await tools.workers.writeMjml(styled, ctx.accountId);
  if (made.ok) return made.mjml;
  if (made.faults.every(({ code }) => code !== "worker_failed"))
    throw invalid(...faultsOfContent(made.faults));
  const headers = { "retry-after": "2" };
  throw new AppError(contentBusy, "it could not be made just now; try again in a moment", { headers });
}
