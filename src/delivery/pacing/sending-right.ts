/** The right to send one mail, which senders draw before they compose it. */
import type { Settlement } from "../ledger/ledger.ts";

/** The right to send one mail on one day. */
export type SendingRight = {
  /** Returns false once the day is over for which it was drawn. */
  isValid(): boolean;
  /** Must be called before the mail is handed to a server. */
  spend(): void;
  /** Says that no server took or refused the mail for good, which will be tried again with another right. */
  refund(): void;
  /** Says what became of an attempt. */
  note(settlement: Pick<Settlement, "state" | "bounce" | "code">): void;
  /** Must be called when the message has ended in this sender; a right that isn't spent is then free for another. */
  end(): void;
};

/** The right of mail that no limit counts. */
export const freeRight: SendingRight = {
  isValid: () => true,
  spend: () => undefined,
  refund: () => undefined,
  note: () => undefined,
  end: () => undefined,
};

/** Joins the rights that two limits ask for: a mail needs both. */
export function bothRights(one: SendingRight, other: SendingRight): SendingRight {
  if (one === freeRight) return other;
  if (other === freeRight) return one;
  return {
    isValid: () => one.isValid() && other.isValid(),
    spend() {
      one.spend();
      other.spend();
    },
    refund() {
      one.refund();
      other.refund();
    },
    note(settlement) {
      one.note(settlement);
      other.note(settlement);
    },
    end() {
      one.end();
      other.end();
    },
  };
}
