import { defineJob } from "../platform/jobs/jobs.ts";

export type NoticePayload = { account_id: string; event_id: string };

/** Tells people by mail of an event that concerns them. A floor above says whom, and how (src/notices/jobs.ts). */
export const noticeKind = defineJob<NoticePayload>({
  name: "notice",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});
