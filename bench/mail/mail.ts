import type { Bench } from "../harness/bench.ts";
import { dkimFigures } from "./dkim.ts";
import { sendingFigures } from "./sending.ts";

export const mailBench: Bench = {
  name: "mail",
  summary: "mails composed and sent against nodemailer and a bare SMTP loop, mails signed against bare RSA",
  async *run(setting) {
    yield* sendingFigures(setting);
    yield* dkimFigures(setting);
  },
};
