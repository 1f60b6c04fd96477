import { parseSmtpUrl, type SmtpOptions } from "../mail/smtp/smtp.ts";
import type { Config } from "../platform/config/settings.ts";
import { StartupError } from "../platform/startup-error.ts";

/** What SMTP_URL says; undefined where it is absent. What is wrong with it is said without quoting it. */
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
