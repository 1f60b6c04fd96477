/** What a message that was examined rests on beside itself: its list, its account, its domain, and what holds the account's mail. */
import { createHash } from "node:crypto";
import type { Ctx } from "../../platform/context.ts";
import type { Message } from "../message.ts";
import { readSenderDefaults } from "../sender-defaults.ts";
import { readSenderDomain } from "../sender-domain.ts";
import type { MessageTools } from "./examine.ts";
import { guardrailChecks } from "./guardrail-checks.ts";

/** Returns a digest that differs once any of it has changed, so that whoever examined earlier can tell. Nothing is compiled. */
export async function readBasis(
  ctx: Ctx,
  tools: Pick<MessageTools, "relayHost" | "signing">,
  message: Pick<Message, "listId" | "topicId" | "stream" | "sender">,
): Promise<string> {
  const { list, ...defaults } = await readSenderDefaults(ctx, tools, message);
  const holds = await guardrailChecks(ctx, defaults);
  const sender = await readSenderDomain(ctx, tools, message, { ...defaults, list });
  // How many subscribers a list has is no setting.
  const settings = list && { ...list, counts: null };
  return createHash("sha256")
    .update(JSON.stringify([settings, defaults, holds, sender]))
    .digest("base64url");
}
