import type { HumanUserFacts } from "../rules/human-user.ts";
import { type MessageReason, messageReasons, startsInitial, type Way } from "../rules/route.ts";

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
  /** New users who are in the state INITIAL until they use the code of the e-mail. */
  initial = 0;

  /** Adds a user who will be created, once for each message. */
  addNew(user: Omit<Recipient, "reason">, facts: HumanUserFacts, way: Way, noMail: boolean): void {
    for (const reason of messageReasons(facts, way, noMail)) this.add({ ...user, reason });
    if (startsInitial(facts, way)) this.initial += 1;
  }

  /** Takes back a user who was added as one to create, and will not be created. */
  dropNew(user: Omit<Recipient, "reason">, facts: HumanUserFacts, way: Way, noMail: boolean): void {
    for (const reason of messageReasons(facts, way, noMail)) {
      const left = (this.counts.get(reason) ?? 0) - 1;
      if (left > 0) this.counts.set(reason, left);
      else this.counts.delete(reason);
      const at = this.named.findIndex((one) => one.id === user.id && one.name === user.name && one.reason === reason);
      if (at !== -1) this.named.splice(at, 1);
    }
    if (startsInitial(facts, way)) this.initial -= 1;
  }

  add(recipient: Recipient): void {
    const before = this.counts.get(recipient.reason) ?? 0;
    this.counts.set(recipient.reason, before + 1);
    if (before < NAMED) this.named.push(recipient);
  }

  /** Adds all of another list. */
  addAll({ counts, named, initial }: Recipients): void {
    this.initial += initial;
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
