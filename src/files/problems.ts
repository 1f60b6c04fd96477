import { AppError, defineProblem } from "../platform/problems.ts";

export const invalidImage = defineProblem(
  422,
  "invalid_image",
  "Invalid image",
  "The file is no PNG, JPEG, GIF or WebP that can be read to its end, or its picture is too large. Its name and its declared " +
    "type don't count, only its content. Nothing of it was kept.",
);
export const filesQuotaExceeded = defineProblem(
  422,
  "files_quota_exceeded",
  "Quota of files exceeded",
  "With this file the account would store more than it may: `quota_bytes` and `used_bytes` say how much that is. Delete files " +
    "that nothing uses.",
);
export const fileInUse = defineProblem(
  409,
  "file_in_use",
  "File in use",
  "Something shows this file; `used_by` says what. Take it out there first.",
);
export const filesBusy = defineProblem(
  503,
  "files_busy",
  "Too many files at once",
  "Too many files are being uploaded or sent at this moment. `Retry-After` says how many seconds to wait.",
);

export function invalidImageBecause(detail: string): AppError {
  return new AppError(invalidImage, detail);
}

export function tooBusy(detail: string): AppError {
  return new AppError(filesBusy, detail, { headers: { "retry-after": "2" } });
}
