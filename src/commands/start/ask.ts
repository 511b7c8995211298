import type { WriteStream } from "node:tty";
import type { Context } from "../../context.ts";

/** A choice of a list. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** Ctrl-C, Ctrl-D, Escape or the end of the input at a question. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** Questions on a terminal. Each raises Cancelled, or the reason of the run's signal. */
export interface Ask {
  /** A line of text. `refuse` gives the reason why the text is not accepted. */
  text(message: string, options?: TextOptions): Promise<string>;
  /** A text that is not shown. */
  secret(message: string, refuse: Refuse): Promise<string>;
  one<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value>;
  /** @param selected the choices that are selected at first. */
  several<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    selected: readonly Value[],
  ): Promise<readonly Value[]>;
}

interface TextOptions {
  readonly initial?: string;
  readonly refuse?: Refuse;
  /** A refused text for which this is true is erased, and not shown to be corrected. */
  readonly isSecret?: (text: string) => boolean;
}

type Refuse = (text: string) => string | undefined;

/** How many choices of a list are shown at a time. */
const SHOWN = 10;

const USUAL_SIZE = { columns: 80, rows: 24 };

/** Questions by clack, on these streams. */
export async function openAsk({ stdin, stderr, signal }: Pick<Context, "stdin" | "stderr" | "signal">): Promise<Ask> {
  const prompts = await import("@clack/prompts"); // no other command asks this way
  // A terminal of unknown size has no columns: each question would be wrapped after each letter.
  if ((stderr as Partial<WriteStream>).columns === 0) Object.assign(stderr, USUAL_SIZE);
  const streams = { input: stdin, output: stderr, signal };
  // At the end of the input clack would wait without an end, and Node would exit with 0. Ctrl-C cancels.
  const cancel = () => stdin.emit("keypress", "\u0003", { name: "c", ctrl: true });
  stdin.once("end", cancel);
  stdin.on("keypress", (_, key: { readonly name?: string; readonly ctrl?: boolean } | undefined) => {
    if (key?.ctrl === true && key.name === "d") cancel();
  });
  const answered = async <Value>(answer: Promise<Value | symbol>): Promise<Exclude<Value, symbol>> => {
    const value = await answer;
    signal.throwIfAborted();
    if (prompts.isCancel(value)) throw new Cancelled();
    return value as Exclude<Value, symbol>; // clack has one symbol, for a cancelled question
  };
  const validate = (refuse: Refuse) => (text: string | undefined) => refuse(text ?? "");
  return {
    text: (message, { initial = "", refuse = () => undefined, isSecret = () => false } = {}) => {
      const refuseAndErase: Refuse = (text) => {
        const reason = refuse(text);
        // clack shows a refused text again, unless the key Ctrl-U has erased it.
        if (reason !== undefined && isSecret(text)) stdin.emit("keypress", undefined, { name: "u", ctrl: true });
        return reason;
      };
      return answered(
        prompts.text({ ...streams, message, initialValue: initial, validate: validate(refuseAndErase) }),
      ).then((text) => text ?? "");
    },
    secret: (message, refuse) =>
      answered(prompts.password({ ...streams, message, validate: validate(refuse) })).then((text) => text ?? ""),
    one: (message, choices) =>
      answered(
        prompts.select<string>({ ...streams, message, maxItems: SHOWN, options: choices.map(optionOf) }),
      ) as never,
    several: (message, choices, selected) => {
      const options = choices.map(optionOf);
      const initialValues = [...selected];
      return answered(
        prompts.multiselect<string>({ ...streams, message, required: false, options, initialValues }),
      ) as never;
    },
  };
}

function optionOf({ value, label, hint }: Choice<string>) {
  return { value, label, ...(hint === undefined ? {} : { hint }) };
}
