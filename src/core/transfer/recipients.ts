import type { MessageReason } from "../rules/route.ts";

/** A user who gets a message from the service. */
export interface Recipient {
  readonly id: string;
  readonly name: string;
  readonly reason: MessageReason;
}

/** The most users that are named of each reason. */
const NAMED = 1_000;

/** The users who get messages: all counted, and the first of each reason named. */
export class Recipients {
  readonly counts = new Map<MessageReason, number>();
  readonly named: Recipient[] = [];

  add(recipient: Recipient): void {
    const before = this.counts.get(recipient.reason) ?? 0;
    this.counts.set(recipient.reason, before + 1);
    if (before < NAMED) this.named.push(recipient);
  }

  /** Adds all of another list. */
  addAll({ counts, named }: Recipients): void {
    for (const [reason, times] of counts) {
      const before = this.counts.get(reason) ?? 0;
      this.counts.set(reason, before + times);
      const ofReason = named.filter((one) => one.reason === reason);
      this.named.push(...ofReason.slice(0, Math.max(0, NAMED - before)));
    }
  }

  get sms(): number {
    return this.counts.get("phone-not-verified") ?? 0;
  }

  get mails(): number {
    let all = 0;
    for (const times of this.counts.values()) all += times;
    return all - this.sms;
  }
}
