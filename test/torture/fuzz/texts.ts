import { readRetryAfterMs } from "../../../src/admin/refusal.ts";
import { createRedactor, Secret } from "../../../src/admin/secret.ts";
import { parseDurationMs } from "../../../src/contract/duration.ts";
import type { Notes } from "../checks/findings.ts";
import { disguises, Secrets } from "../input/secrets.ts";
import { digits, letters, type Random } from "../random.ts";

/** A secret in a message, in some form within some form, among much else: it is taken out, in no time. */
export function redactionCase(random: Random, notes: Notes): void {
  const secrets = new Secrets();
  const secret = random.pick([() => secrets.token(random), () => secrets.hash(random), () => secrets.plain(random)])();
  const redactor = createRedactor();
  if (random.chance(0.5)) redactor.add(new Secret(secret));
  const request = Buffer.from(JSON.stringify({ user: { password: secret } }));
  const form = random.pick(disguises)(secret);
  const hidden = random.chance(0.3) ? random.pick([encodeURIComponent, JSON.stringify])(form) : form;
  const before = random.pick([" ", '"', "=", ": ", "(", "\n"]);
  const text = `${noise(random)}${before}${hidden}${random.pick([" ", '"', ")", ";", "\n"])}${noise(random)}`;
  const started = performance.now();
  const clean = redactor.cleanFor(request)(text);
  const ms = performance.now() - started;
  notes.expect(ms < 2_000, `${Math.round(ms)} ms for ${text.length} characters: ${text.slice(0, 200)}`);
  notes.expect(!clean.includes(secret) && !clean.includes(form), `not taken out: ${form} of ${clean}`);
  notes.expect(!/[\p{Cc}\u202a-\u202e]/u.test(clean), `a terminal would obey ${JSON.stringify(clean)}`);
}

function noise(random: Random): string {
  return random.pick([
    () => "",
    () => random.text(`${letters}${digits} .:/-_$%&;"'{}[]\\=+`, random.below(60)),
    () => "%2".repeat(random.below(400)),
    () => "\\".repeat(random.below(400)),
    () => "&amp;".repeat(random.below(200)),
    () => "$a$".repeat(random.below(300)),
    () => "Bearer ".repeat(random.below(100)),
    () => '"password":"'.repeat(random.below(100)),
    () => "-----BEGIN PRIVATE KEY-----".repeat(random.below(40)),
    () => "\u001b[2J\u0007\r",
    () => "eyJ".repeat(random.below(400)),
    () => Buffer.from(random.text(letters, random.below(300))).toString("base64"),
  ])();
}

/** Any text is a time to wait or none, never a negative one and never no number. */
export function headerCase(random: Random, notes: Notes): void {
  const text = random.pick([
    () => random.text(`${digits}.-+eE `, random.below(12)),
    () => new Date(random.below(2 ** 31) * 1_000).toUTCString(),
    () => random.text(`${letters}${digits}:, -`, random.below(30)),
    () => "9".repeat(random.below(400)),
  ])();
  const ms = readRetryAfterMs(text, new Date(random.below(2 ** 31) * 1_000));
  notes.expect(ms === undefined || ms >= 0, `Retry-After ${JSON.stringify(text)}: ${ms}`);
  const duration = parseDurationMs(random.text(`${digits}hmsµun.-`, random.below(10)));
  notes.expect(duration === undefined || !Number.isNaN(duration), "a duration that is no number");
}
