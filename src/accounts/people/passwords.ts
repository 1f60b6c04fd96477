/** Decides which passwords are accepted, how they are stored, and how many are hashed at once. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { createConcurrencyLimit } from "../../platform/concurrency-limit.ts";
import { AppError, type Fault } from "../../platform/problems.ts";
import { signInBusy } from "../problems.ts";
import { emailKey } from "./email.ts";

const SHORTEST = 10;
const LONGEST = 200;

type Cost = { memory: number; passes: number; parallelism: number };
// OWASP's password storage cheat sheet asks for argon2id with 19 MiB, 2 passes and 1 lane, which takes about 60 ms of
// a core here.
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

// Hashing takes two of the four threads that files and DNS use too. Others wait in a queue, for about a second at
// most.
const AT_ONCE = 2;
const MOST_WAITING = 32;

const run = promisify(argon2);

export type Passwords = {
  hash(password: string): Promise<string>;
  /**
   * Verifies a password. Without a hash it takes just as long and returns false, because the time taken must not tell
   * which users exist.
   */
  verify(password: string, hash: string | null | undefined): Promise<boolean>;
};

export function createPasswords(limits = { atOnce: AT_ONCE, mostWaiting: MOST_WAITING }): Passwords {
  const enqueue = createConcurrencyLimit({ ...limits, refuse: busy });
  return {
    hash: (password) =>
      enqueue(async () => {
        const salt = randomBytes(SALT_BYTES);
        return encode(COST, salt, await digest(password, salt, COST, TAG_BYTES));
      }),
    verify: (password, hash) =>
      enqueue(async () => {
        const { cost, salt, tag } = decode(hash ?? NOBODYS);
        const given = await digest(password, salt, cost, tag.length);
        return timingSafeEqual(given, tag) && hash !== null && hash !== undefined;
      }),
  };
}

/** Tells whether a hash was made at another cost than today's. The password is then hashed again while it is at hand. */
export function isOutdated(hash: string): boolean {
  const { cost } = decode(hash);
  return cost.memory !== COST.memory || cost.passes !== COST.passes || cost.parallelism !== COST.parallelism;
}

/**
 * Says what is wrong with a new password; undefined when nothing is. Any script is accepted, and no mixture of
 * characters is required.
 */
export function passwordFault(password: string, email: string): Omit<Fault, "pointer"> | undefined {
  const normal = normalise(password);
  const length = [...normal].length;
  if (length < SHORTEST) return { code: "too_short", detail: `must have at least ${SHORTEST} characters` };
  if (length > LONGEST) return { code: "too_long", detail: `must have at most ${LONGEST} characters` };
  if (emailKey(normal) === emailKey(normalise(email)))
    return { code: "same_as_email", detail: "must not be the e-mail address" };
  return undefined;
}

/** Makes a password the same from every keyboard and system (NIST SP 800-63B §5.1.1.2). */
function normalise(password: string): string {
  return password.normalize("NFKC");
}

function digest(password: string, salt: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  const parameters: Argon2Parameters = { message: normalise(password), nonce: salt, tagLength, ...cost };
  return run("argon2id", parameters);
}

/** Writes the PHC string format, so that the cost is stored with the hash and may change. */
function encode(cost: Cost, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${text(salt)}$${text(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function decode(hash: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = "", tag = ""] = PHC.exec(hash) ?? [];
  if (!tag) throw new Error("a stored password hash is no argon2id PHC string");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { cost, salt: Buffer.from(salt, "base64"), tag: Buffer.from(tag, "base64") };
}

const NOBODYS = encode(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES));

function busy(): AppError {
  const headers = { "retry-after": "2" };
  return new AppError(signInBusy, "too many passwords are being checked at this moment", { headers });
}
