/** Reads what was sent in: urlencoded, multipart or JSON, all of it as texts by name. */
import { parseJsonBody } from "../../platform/http/bodies/json-body.ts";
import { AppError, malformedRequest, unsupportedMediaType } from "../../platform/problems.ts";

export const MOST_BODY_BYTES = 64 * 1_024;
/** A form asks for thirty fields at most; what else a site adds to it is ignored, within reason. */
const MOST_INPUTS = 200;

/** Of a name that is there twice the first counts. A Map has no prototype that a name could reach. */
export async function readSent(type: string | undefined, body: Buffer): Promise<ReadonlyMap<string, string>> {
  const [media = ""] = (type ?? "").toLowerCase().split(";", 1);
  switch (media.trim()) {
    case "application/x-www-form-urlencoded":
      return toMap(new URLSearchParams(body.toString("utf8")));
    case "multipart/form-data":
      return toMap(await readMultipart(type ?? "", body));
    case "application/json":
      return toMap(readJson(body));
  }
  throw new AppError(
    unsupportedMediaType,
    "send application/x-www-form-urlencoded, multipart/form-data or application/json",
  );
}

function toMap(pairs: Iterable<readonly [string, string]>): ReadonlyMap<string, string> {
  const sent = new Map<string, string>();
  let count = 0;
  for (const [name, value] of pairs) {
    if (++count > MOST_INPUTS)
      throw new AppError(malformedRequest, `there are more than ${MOST_INPUTS} inputs`);
    if (!sent.has(name)) sent.set(name, value);
  }
  return sent;
}

async function readMultipart(type: string, body: Buffer): Promise<[string, string][]> {
  try {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    // A file is nothing that a form asks for.
    return [...form].filter((pair): pair is [string, string] => typeof pair[1] === "string");
  } catch {
    throw new AppError(malformedRequest, "the body isn't well-formed multipart/form-data");
  }
}

/** Custom fields may stand in an object `fields`, or beside the others as `fields.company`. */
function readJson(body: Buffer): [string, string][] {
  const given = parseJsonBody(body);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new AppError(malformedRequest, "the body must be a JSON object");
  const { fields, ...plain } = given as Record<string, unknown>;
  const custom = typeof fields === "object" && fields !== null ? Object.entries(fields) : [];
  return [
    ...Object.entries(plain),
    ...custom.map(([key, value]) => [`fields.${key}`, value] as const),
  ].flatMap(([name, value]): [string, string][] => {
    if (typeof value === "string") return [[name, value]];
    if (typeof value === "number") return [[name, String(value)]];
    // As a browser sends a box: something where it is ticked, nothing where it isn't.
    return value === true ? [[name, "yes"]] : [];
  });
}
