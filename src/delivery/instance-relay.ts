import { parseSmtpUrl, type SmtpOptions } from "../mail/smtp/smtp.ts";
import type { Config } from "../platform/config/settings.ts";
import { StartupError } from "../platform/startup-error.ts";

/** Reads SMTP_URL, and is undefined where that is absent. An error never quotes it, because it may hold a password. */
export function readRelay({ smtpUrl }: Pick<Config, "smtpUrl">): SmtpOptions | undefined {
  if (smtpUrl === undefined) return undefined;
  try {
    return parseSmtpUrl(smtpUrl);
  } catch (error) {
    throw new StartupError(
      `SMTP_URL ${(error as Error).message}`,
      "mend it in the environment or in .env, such as smtp://user:password@host:587",
    );
  }
}
