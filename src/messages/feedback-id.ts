/**
 * Gmail shows complaints by the parts of Feedback-ID. The last part names who sends, and Google asks for 5 to 15 characters that stay
 * the same in all mail of a sender. Every account has its own, or the complaints about one would count for all.
 */
import { createHash } from "node:crypto";

const CHARACTERS = 10;
// The alphabet of public ids has 32 letters, so each of them shows five bits of a byte.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Nobody finds the account's id by it, and it needs no column of its own. */
export function feedbackSenderOf(accountId: string): string {
  const digest = createHash("sha256").update(`feedback-id ${accountId}`).digest();
  return [...digest.subarray(0, CHARACTERS)].map((byte) => ALPHABET[byte & 31]).join("");
}
