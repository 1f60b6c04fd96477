/**
 * Reads multipart/form-data with a part `file`, which is never held in memory whole. Where a route takes options, a JSON part
 * `options` comes before it.
 */
import multipart, { type MultipartFile, type MultipartValue } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import {
  AppError,
  bodyTooLarge,
  invalid,
  malformedJson,
  malformedRequest,
  unsupportedMediaType,
} from "../../problems.ts";
import type { UploadedFile } from "../route.ts";
import { parseJsonBody } from "./json-body.ts";

const MOST_OPTIONS_BYTES = 64 * 1_024;

/**
 * Registers upload routes in a Fastify scope of their own, so that no other route takes multipart, and these take nothing
 * else.
 */
export function acceptUploads(fastify: FastifyInstance, definition: RouteOptions): void {
  fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart);
    scope.route(definition);
  });
}

/** Reads the request up to the start of its file. The caller must read the chunks, or abort the request. */
export async function readUpload(
  request: FastifyRequest,
  mostBytes: number,
  takesOptions = true,
): Promise<{ body: unknown; file: UploadedFile }> {
  if (!request.isMultipart()) {
    const parts = takesOptions ? "a part `options`, then a part `file`" : "a part `file`";
    throw new AppError(unsupportedMediaType, `send multipart/form-data with ${parts}`);
  }
  const limits = {
    fileSize: mostBytes,
    fieldSize: MOST_OPTIONS_BYTES,
    files: 2,
    fields: 1,
    parts: 2,
    headerPairs: 50,
  };
  // A for-await loop would end the parser when it leaves the loop with the file still to come, so `next` is called by
  // hand.
  const parts = request.parts({ limits });
  let body: unknown;
  try {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const part = next.value;
      if (part.type === "file" && part.fieldname === "file") return { body, file: fileOf(part, mostBytes) };
      if (!takesOptions || part.fieldname !== "options") throw unknownPart(part, takesOptions);
      body = part.type === "file" ? parseJsonBody(await readSmall(part)) : readField(part);
    }
  } catch (error) {
    throw explain(error);
  }
  throw invalid({
    pointer: "/file",
    code: "required",
    detail: takesOptions ? "there is no part `file` after the part `options`" : "there is no part `file`",
  });
}

function readField(part: MultipartValue): unknown {
  if (part.valueTruncated) throw optionsTooLong();
  // The multipart parser has already parsed a part that declares itself JSON; a part that declares nothing is JSON too.
  return parseJsonBody(Buffer.from(typeof part.value === "string" ? part.value : JSON.stringify(part.value)));
}

/** A browser's FormData sends a Blob as a file. */
async function readSmall(part: MultipartFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of part.file) {
    bytes += (chunk as Buffer).length;
    if (bytes <= MOST_OPTIONS_BYTES) chunks.push(chunk as Buffer);
  }
  if (bytes > MOST_OPTIONS_BYTES) throw optionsTooLong();
  return Buffer.concat(chunks);
}

function optionsTooLong(): AppError {
  return new AppError(bodyTooLarge, "the part `options` is over 64 KB");
}

function fileOf(part: MultipartFile, mostBytes: number): UploadedFile {
  const chunks = async function* () {
    try {
      for await (const chunk of part.file) yield chunk as Buffer;
    } catch (error) {
      throw explain(error);
    }
    // At its limit the parser ends the stream without a word.
    if (part.file.truncated) throw new AppError(bodyTooLarge, `the file is over ${mostBytes / 1_048_576} MB`);
  };
  return { name: part.filename ?? "", chunks: chunks() };
}

function unknownPart(part: MultipartFile | MultipartValue, takesOptions: boolean): AppError {
  if (part.type === "file") part.file.resume();
  const detail = takesOptions ? "the parts are `options`, then `file`" : "the only part is `file`, as a file";
  return invalid({ pointer: `/${part.fieldname}`, code: "unknown_field", detail });
}

/**
 * Turns the parser's error about a body that breaks off or doesn't match its head into a problem. "Too large" stays as it
 * is.
 */
function explain(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (code === "FST_INVALID_JSON_FIELD_ERROR")
    return new AppError(malformedJson, "the part `options` isn't valid JSON");
  const isBroken =
    /^FST_(MP_PREMATURE_CLOSE|PARTS_LIMIT|FILES_LIMIT|FIELDS_LIMIT|PROTO_VIOLATION)$/.test(code) ||
    /multipart|boundary|unexpected end|premature|aborted/i.test(message);
  return isBroken ? new AppError(malformedRequest, "the multipart body is malformed or broke off") : error;
}
