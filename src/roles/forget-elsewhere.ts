/** Every folder above `src/subscribers/` that keeps addresses forgets one here, in the transaction that erases a person's data. */
import { forgetAddress } from "../delivery/delivery.ts";
import { forgetInEmails } from "../emails/emails.ts";
import { forgetInForms } from "../forms/forms.ts";
import { forgetInInbound } from "../inbound/inbound.ts";
import { forgetInPreferences } from "../preferences/preferences.ts";
import { type ForgetElsewhere, findContact } from "../subscribers/subscribers.ts";
import type { App } from "./app.ts";

export function forgetElsewhere(app: Pick<App, "secrets" | "hashAddress">): ForgetElsewhere {
  return async (ctx, addressKey) => {
    await forgetAddress(ctx, addressKey);
    const inWaves = await forgetInEmails(ctx, app.secrets, addressKey);
    const contact = await findContact(ctx.sql, ctx.accountId, app.hashAddress(addressKey));
    await forgetInInbound(ctx, [...(contact ? [contact] : []), ...inWaves]);
    await forgetInForms(ctx, app.hashAddress, addressKey);
    await forgetInPreferences(ctx, app.hashAddress, addressKey);
  };
}
