/** Every folder above `src/subscribers/` that keeps addresses forgets one here, in the transaction that erases a person's data. */
import { forgetAddress } from "../delivery/delivery.ts";
import { forgetInEmails } from "../emails/emails.ts";
import { forgetInPreferences } from "../preferences/preferences.ts";
import type { ForgetElsewhere } from "../subscribers/subscribers.ts";
import type { App } from "./app.ts";

export function forgetElsewhere(app: Pick<App, "secrets" | "hashAddress">): ForgetElsewhere {
  return async (ctx, addressKey) => {
    await forgetAddress(ctx, addressKey);
    await forgetInEmails(ctx, app.secrets, addressKey);
    await forgetInPreferences(ctx, app.hashAddress, addressKey);
  };
}
