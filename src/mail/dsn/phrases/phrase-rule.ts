/**
 * The form of the tables of phrases. Texts come in lower case, on one line, at most 4 KB long, without addresses. Gaps are
 * bounded (`.{0,40}`) and nothing repeats inside a repetition, so that no text can make a pattern slow.
 */
import type { BounceReason, SmtpStage } from "../vocabulary.ts";
import type { PhraseSet } from "./phrase-set.ts";

export type PhraseRule = {
  readonly reason: BounceReason;
  readonly pattern: PhraseSet;
  /** The rule applies only where the mail was refused at one of these. */
  readonly stages?: readonly SmtpStage[];
  /** The rule doesn't apply where the mail is known to have been refused at one of these. */
  readonly notStages?: readonly SmtpStage[];
  readonly status?: RegExp;
  readonly isPermanent?: boolean;
  /** True applies the rule only where another server's reply is quoted, and false only where none is. */
  readonly isRemote?: boolean;
};
