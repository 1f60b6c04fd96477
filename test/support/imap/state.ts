/** What the IMAP server for tests holds, and what it is told to do wrong. */

export type StoredMail = {
  readonly uid: number;
  readonly raw: Buffer;
  readonly arrivedAt: Date;
  readonly flags: Set<string>;
};

/** What a server does instead of answering a command; the name is the command's, such as `UID FETCH` or `greeting`. */
export type Fault =
  | "hang"
  | "close"
  /** Half of the answer, then the end. */
  | "close_halfway"
  /** A line without an end. */
  | "endless_line"
  /** A literal of a gigabyte. */
  | "huge_literal"
  /** Answers that nobody asked for, without an end. */
  | "flood"
  | "no"
  | "nonsense";

export type ImapState = {
  readonly folders: Map<string, StoredMail[]>;
  uidValidity: number;
  /** What SELECT says; null leaves it out, undefined tells the truth. */
  uidNext: number | null | undefined;
  /** What SELECT says of the number of mails; undefined tells the truth. */
  exists: number | undefined;
  capabilities: string[];
  faults: Map<string, Fault>;
  /** The mail with this number breaks the connection of whoever fetches it. */
  poison: number | undefined;
  user: string;
  password: string;
  /** Is called at every SELECT, before it is answered. */
  onSelect: () => void;
};

/** What a connection knows. */
export type Connection = {
  readonly state: ImapState;
  folder: string | undefined;
  /** How many mails of the folder the client has heard of. */
  told: number;
  write(text: string | Buffer): void;
};
