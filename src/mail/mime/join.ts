import { writeBody } from "./body.ts";
import type { CompiledMessage } from "./compile.ts";
import type { MessageCopy } from "./template.ts";
import { createWriter, resetWriter, writeBytes, writeText } from "./writer.ts";

/**
 * The buffer is reused, so that a message costs one allocation of its exact size. Nothing here awaits, so only one message
 * uses it at a time.
 */
const scratch = createWriter(256 * 1024);

export function joinMessage(compiled: CompiledMessage, copy: MessageCopy): Buffer {
  resetWriter(scratch);
  let head = "";
  for (const field of compiled.head) head += typeof field === "string" ? field : field(copy);
  writeText(scratch, head);
  for (const step of compiled.steps) {
    if (step.kind === "bytes") writeBytes(scratch, step.bytes);
    else writeBody(scratch, step.body, copy.values, step.endsMessage);
  }
  const { at } = scratch;
  const message = Buffer.allocUnsafe(at + compiled.tail.length);
  scratch.bytes.copy(message, 0, 0, at);
  message.set(compiled.tail, at);
  return message;
}
