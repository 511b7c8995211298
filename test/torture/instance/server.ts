import type { Random } from "../random.ts";
import { type AnswerSettings, type Asked, answer, type EndpointName } from "./answers.ts";
import type { Fault } from "./faults/fault.ts";
import { HostileInstance, type SoundAnswer } from "./hostile-instance.ts";
import type { Truth } from "./truth.ts";

/** An instance on the level of bytes, sound or hostile. It keeps the truth, and lies to nobody but its client. */
export class TortureServer extends HostileInstance {
  readonly #truth: Truth;
  readonly #settings: AnswerSettings;
  readonly #token: string;

  constructor(truth: Truth, settings: AnswerSettings, { random, token }: { random: Random; token: string }) {
    super(random);
    this.#truth = truth;
    this.#settings = settings;
    this.#token = token;
  }

  protected override look(asked: Asked): void {
    this.#truth.pass(this.random.pick([0, 1, 400, 20_000]));
    if (asked.authorization !== `Bearer ${this.#token}`)
      this.#truth.harm.push(`a call without the token: ${asked.path}`);
  }

  protected override async work(asked: Asked, endpoint: EndpointName, fault: Fault | undefined): Promise<SoundAnswer> {
    const sound =
      fault?.work === "none" && (endpoint === "import" || endpoint === "users")
        ? { status: 200, body: {} }
        : answer(this.#truth, asked, this.#settings, fault?.work === "part" ? this.random.below(8) : undefined);
    return { answer: sound, date: new Date(this.#truth.nowMs).toUTCString() };
  }

  protected override secretsOf({ text }: Asked): readonly string[] {
    const found = [...text.matchAll(SECRET_MEMBERS)]
      .map(([, json = '""']) => JSON.parse(json) as string) // a string of JSON
      .filter((value) => value.length >= 12);
    return [this.#token, ...this.random.shuffled(found).slice(0, 3)];
  }
}

const SECRET_MEMBERS = /"(?:value|password|otpCode|clientSecret|hash|totpSecret)":("(?:[^"\\]|\\.)*")/g;
