import type { Context } from "../../context.ts";
import { listIdps } from "../../jobs/shared/list-idps.ts";
import { counted, printable, shown, shownNames } from "../../problem/format.ts";
import { isWhole, listedColumns } from "../../problem/usage.ts";
import { ProblemError } from "../../problem.ts";
import type { OptionTable, Source } from "../../sources/source.ts";
import type { AnyReport, ReportFields } from "../../ui/report.ts";
import { type ColumnWords, listedWords, meaningOfFirst } from "../../ui/summary/unknown-words.ts";
import type { Ui } from "../../ui/ui.ts";
import { faultOfValues, flagFor, wordsOf, wordsOfFlag } from "./answers.ts";
import type { Ask } from "./ask.ts";
import { type Target, withApi } from "./target.ts";

/** The flag of a column with the passwords themselves. */
export const PLAIN = "--plain-passwords";
const LIST = "--list";
const UNVERIFIABLE = "--unverifiable";
const SAME_EMAIL = "--same-email";
const VERIFIED = "--email-verified";
/** Columns with one of plain passwords. */
const OF_PASSWORDS = /(^|,)\s*password\s*=/i;

/** The numbers of a report that decide what is asked next. */
export interface MigrateNumbers {
  readonly users: Readonly<Record<"read" | "written" | "rejected" | "withHash", number>>;
  /** The folder of rejected rows. */
  readonly rejects?: string;
  readonly problems: AnyReport["problems"];
  readonly reasons?: Readonly<Record<string, number>>;
  readonly unknownWords?: readonly ColumnWords[];
  /** Of a table or JSON: fields by the columns that they are read from. */
  readonly columns?: Pick<NonNullable<ReportFields["columns"]>, "preset" | "used" | "unused" | "unreadHashes">;
  readonly remarks?: Readonly<Record<string, number>>;
  /** Hashes by a verifier that the target has not enabled. */
  readonly unverifiable?: Readonly<Record<string, number>>;
  readonly leftBehind?: Pick<NonNullable<ReportFields["leftBehind"]>, "fields" | "providers" | "roles">;
}

/** What the users have that `migrate` does not understand by itself. */
export interface Layout {
  /** Of a table; or paths. */
  readonly columns: readonly string[];
  /** The map that is proposed, with placeholders for what was not found; "": none. */
  readonly mapping: string;
}

/** The questions about one file, whose answers are flags of `migrate`. Each is asked once. */
export class FlagQuestions {
  readonly #ask: Ask;
  readonly #world: { readonly context: Context; readonly ui: Ui };
  readonly #source: Source;
  readonly #target: Target;
  /** The organization of the users on the target. */
  readonly #org: string;
  readonly #asked = new Set<string>();

  constructor(
    { ask, ...world }: { readonly ask: Ask; readonly context: Context; readonly ui: Ui },
    source: Source,
    { target, org }: { readonly target: Target; readonly org: string },
  ) {
    this.#ask = ask;
    this.#world = world;
    this.#source = source;
    this.#target = target;
    this.#org = org;
  }

  /** True for a question that was not asked; it counts as asked from now on. */
  #isNew(question: string): boolean {
    const isKnown = this.#asked.has(question);
    this.#asked.add(question);
    return !isKnown;
  }

  /** Other columns have other words and passwords: these questions are asked again. */
  forgetColumns(): void {
    for (const question of this.#asked)
      if (question === PLAIN || question.startsWith(WORDS)) this.#asked.delete(question);
  }

  /** Flags for what ended a run, if one answer is enough; none otherwise. */
  async settle(problems: AnyReport["problems"]): Promise<readonly string[]> {
    const { documents = [] } = problems.find(({ code }) => code === "input.several-documents") ?? {};
    if (documents.length > 0) return this.#document(documents);
    const { lists = [] } = problems.find(({ lists }) => lists !== undefined) ?? {};
    if (lists.length > 0 && !this.#asked.has(LIST)) return this.#list(lists);
    if (!problems.some(({ fields = [] }) => fields.join() === "email")) return [];
    const question =
      "No column for the e-mail address. Domain for made-up addresses, such as users.example.com (empty: name the column)";
    return this.#value(this.#source.options["emailDomain"], question);
  }

  /** The flag that chooses a document of a file of several, such as a realm. */
  async #document(documents: NonNullable<AnyReport["problems"][number]["documents"]>): Promise<readonly string[]> {
    const { shape } = this.#source.users;
    if (shape.kind !== "document" || shape.name === undefined) return [];
    const choices = [...documents]
      .sort((a, b) => b.rows - a.rows)
      .map(({ name, rows }) => ({ value: name, label: printable(name), hint: counted(rows, "user") }));
    return [shape.name.flag, await this.#ask.one(`Users of which ${shape.name.key}?`, choices)];
  }

  /** The flag that says which list of a document has the users; none if the document is a user. */
  async #list(lists: readonly string[]): Promise<readonly string[]> {
    this.#asked.add(LIST);
    const choices = [
      ...lists.map((path) => ({ value: path, label: shown(path) })),
      { value: "", label: "none of them: the file has one user" },
    ];
    const list = await this.#ask.one("The file has lists. Which one has the users?", choices);
    return list === "" ? [] : [LIST, list];
  }

  /**
   * Enter takes what was recognized, if that is enough.
   * @param before the answer before, which was wrong.
   */
  async columns(before: string, { columns, mapping }: Layout): Promise<string> {
    const { say } = this.#world.ui;
    if (columns.length > 0) say(`The users have: ${listedColumns(columns.map(shown))}`);
    say(`Fields: ${this.#source.options["mapping"]?.names?.join(", ")}`);
    const presets = this.#source.options["preset"]?.names ?? [];
    say(`Presets: ${presets.join(", ")}`);
    const isProposed = mapping !== "" && isWhole(mapping);
    const example = isProposed || mapping === "" ? "userId=id,email=mail,hash=password" : shown(mapping);
    const how = isProposed && before === "" ? "these were recognized, Enter takes them" : "empty: go back";
    const question = `Columns, such as ${example}, a preset, or both: ${presets.at(-1)},userId=number (${how})`;
    const initial = before === "" && isProposed ? printable(mapping) : before;
    const refuse = (text: string) =>
      /^\s*-/.test(text) ? `Write columns or a preset without flags, such as ${example}.` : undefined;
    return (await this.#ask.text(question, { initial, refuse })).trim();
  }

  /** Whether columns that the answer names have plain passwords. */
  async arePlain(answer: string): Promise<boolean> {
    return OF_PASSWORDS.test(answer) && this.#arePlain();
  }

  /** Whether hashes of no known form, if most are, are the passwords themselves. */
  async areUnknownPlain(numbers: MigrateNumbers): Promise<boolean> {
    return (
      isMostlyNoHash(numbers) &&
      this.#isNew(PLAIN) &&
      this.#arePlain("Some hashes are of no known form.", numbers.problems)
    );
  }

  /** Enter is a no: the answer decides what users sign in with. */
  async #arePlain(reason = "", problems: AnyReport["problems"] = []): Promise<boolean> {
    const columns = problems.flatMap(({ code, field }) => (code === "field.hash" ? (field ?? []) : []));
    const [column = "the column"] = columns.length === 0 ? [] : [shownNames([...new Set(columns)])];
    const question = `${reason} Does ${column} have the passwords themselves, not hashes?`.trim();
    const choices = [
      { value: "no", label: "No" },
      { value: "yes", label: "Yes, hash them with bcrypt" },
    ];
    return (await this.#ask.one(question, choices)) === "yes";
  }

  /**
   * What words mean that were not understood, with those before; `before` itself if nothing is added.
   * Words that got no meaning are not asked for again.
   */
  async words(
    { unknownWords: all = [], users, rejects }: MigrateNumbers,
    before: readonly string[],
  ): Promise<readonly string[]> {
    const unknownWords = all.filter((one) => !this.#asked.has(keyOfWords(one)));
    if (unknownWords.length === 0) return before;
    const where = unknownWords.map((one) => wordsIn(one, rejects)).join("; ");
    const examples = unknownWords.map((one) => meaningOfFirst(one)).join(",");
    const otherwise = users.written > 0 ? "the rows are rejected" : "the columns are asked for again";
    const text = await this.#ask.text(
      `What unknown words mean: ${where}. Write ${examples}, with commas between several (empty: ${otherwise})`,
      {
        refuse: (words) => {
          const all = wordsOf(words, before);
          const isNew = words.trim() === "" || all.length > before.length || all.some((word) => !before.includes(word));
          return isNew
            ? faultOfValues(this.#source.options["words"], all)
            : "These meanings are known: the file has other words.";
        },
      },
    );
    if (text.trim() !== "") return wordsOf(text, before);
    for (const one of unknownWords) this.#asked.add(keyOfWords(one));
    return before;
  }

  /** Flags with values that users lack, one for all of them. */
  async values(numbers: MigrateNumbers): Promise<readonly string[]> {
    const { reasons = {}, remarks = {} } = numbers;
    const flags = [
      ...(await this.#unchecked(numbers)),
      ...(await this.#sameName(numbers)),
      ...(await this.#verified(numbers)),
    ];
    const without = reasons["user.no-email"];
    if (without !== undefined) {
      const question = `Domain for the e-mail addresses of ${counted(without, "user")} without one, such as users.example.com (empty: they are rejected)`;
      flags.push(...(await this.#value(this.#source.options["emailDomain"], question)));
    }
    if (remarks["phone-lost"] !== undefined) {
      const question = "Country of national phone numbers, such as DE (empty: they are dropped)";
      flags.push(...(await this.#value(this.#source.options["phoneCountry"], question)));
    }
    return flags;
  }

  /** How users are written whose hashes the target does not check, or no target does. */
  async #unchecked(numbers: MigrateNumbers): Promise<string[]> {
    const { reasons = {}, unverifiable = {} } = numbers;
    const unchecked = uncheckedIn(numbers);
    const users = Math.max(unchecked, (reasons["field.hash"] ?? 0) + (reasons["user.bad-hash"] ?? 0));
    if (users === 0 || !this.#isNew(UNVERIFIABLE)) return [];
    const kinds = [...Object.keys(unverifiable), ...(users > unchecked ? ["others"] : [])];
    const question = `The target does not check the password hashes of ${counted(users, "user")} (${shownNames(kinds)}; the lines above say why). These users`;
    const choices = [
      { value: "", label: "are rejected" },
      { value: "later", label: "are created without a password, and get an e-mail to set one with orgferry invite" },
    ];
    const how = await this.#ask.one(question, choices);
    return how === "" ? [] : [UNVERIFIABLE, how];
  }

  /** Whether users whose name another user has are left out. */
  async #sameName({ reasons = {} }: MigrateNumbers): Promise<readonly string[]> {
    const passedOver = reasons["user.passed-over"] ?? 0;
    const users = passedOver + (reasons["user.duplicate-name"] ?? 0) + (reasons["user.better-rejected"] ?? 0);
    if (users === 0 || !this.#isNew(SAME_EMAIL)) return [];
    const choices = [
      { value: "", label: "are left out" },
      {
        value: "link",
        label: "move their accounts at identity providers to the other user, if both have one verified address",
      },
      ...(passedOver > 0
        ? [{ value: "first", label: "are kept if they come first in the file, in place of users with a password" }]
        : []),
    ];
    const question = `${counted(users, "user has", "users have")} the name of another user, mostly an e-mail address. These users`;
    const how = await this.#ask.one(question, choices);
    return how === "" ? [] : [SAME_EMAIL, how];
  }

  /** Whether all addresses are verified, where the file has some and does not say it. Enter is a no: that harms no user. */
  async #verified(numbers: MigrateNumbers): Promise<readonly string[]> {
    const { columns, users } = numbers;
    const { email, emailVerified } = columns?.used ?? {};
    if (email === undefined || emailVerified !== undefined || users.written === 0 || !this.#isNew(VERIFIED)) return [];
    const question = "Nothing that was read says whether the e-mail addresses are verified. Are they?";
    const flags = [[], [VERIFIED]];
    const labels = ["No: each user gets an e-mail to verify the address", "Yes, all of them"];
    for (const column of Object.keys(unreadIn(numbers))) {
      // With a field in the map, a preset is no longer recognized.
      const preset = columns?.preset === undefined ? [] : ["--preset", columns.preset];
      flags.push([...preset, "--map", `emailVerified=${column}`]);
      labels.push(`As ${shown(column)} says, which is not read yet`);
    }
    const choices = labels.map((label, at) => ({ value: String(at), label }));
    return flags[Number(await this.#ask.one(question, choices))] ?? [];
  }

  /** An option with the value that is given for it; nothing for an empty answer, or if the option was asked for. */
  async #value(option: OptionTable[string] | undefined, question: string): Promise<readonly string[]> {
    const [flag = ""] = option?.flag.split(" ") ?? [];
    if (option === undefined || this.#asked.has(flag)) return [];
    this.#asked.add(flag);
    const refuse = (text: string) => {
      const given = text.trim();
      if (given === "") return undefined;
      const isWhole = flag !== "--email-domain" || given.includes(".");
      return (
        faultOfValues(option, [given]) ??
        (isWhole ? undefined : "It must be a domain with a dot, such as users.example.com.")
      );
    };
    const value = (await this.#ask.text(question, { refuse })).trim();
    return value === "" ? [] : [flag, value];
  }

  /** The flags that carry over what a run left behind, as far as they are wanted. */
  async leftBehind(numbers: MigrateNumbers): Promise<readonly string[]> {
    const { carriedBy = {} } = this.#source;
    const { providers = {} } = numbers.leftBehind ?? {};
    const flags = new Map<string, string[]>();
    for (const [field, users] of Object.entries(unreadIn(numbers))) {
      const flag = flagFor(field, carriedBy);
      if (flag === undefined || this.#asked.has(flag)) continue;
      flags.set(flag, [...(flags.get(flag) ?? []), `${printable(field)} ${users}`.trim()]);
    }
    const others = Object.entries(providers).filter(([provider]) => !this.#asked.has(`--idp ${provider}`));
    for (const flag of [...flags.keys(), ...others.map(([provider]) => `--idp ${provider}`)]) this.#asked.add(flag);
    const wanted =
      flags.size === 0
        ? []
        : await this.#ask.several(
            "Not carried over yet (space selects)",
            [...flags].map(([flag, names]) => ({ value: flag, label: names.join(", "), hint: flag })),
            // Names: without them, each user has the full name as first and as last name.
            [...flags.keys()].filter((flag) => flag === "--profile full"),
          );
    const links = await this.#links(others);
    return [...wanted.flatMap(wordsOfFlag), ...links];
  }

  async #links(providers: readonly (readonly [string, number])[]): Promise<readonly string[]> {
    if (providers.length === 0) return [];
    const { env } = this.#target;
    const listed = await withApi(env, this.#world, (asking) => listIdps(asking, [this.#org])).catch(
      (error: unknown) => {
        if (error instanceof ProblemError && !this.#world.context.signal.aborted) return [];
        throw error;
      },
    );
    const choices = new Map(listed.map(({ id, name, type }) => [id, `${printable(name)} (${printable(type)})`]));
    const flags: string[] = [];
    for (const [provider, users] of providers) {
      const kind = kindOfProvider(provider);
      const named = [...choices].map(([value, label]) => ({ value, label, hint: value }));
      const isAlike = ({ label }: { readonly label: string }): boolean =>
        kind !== "" && label.toLowerCase().includes(kind);
      // Enter keeps the sign-in, if a provider of the target looks like the source's.
      const id = await this.#ask.one(`Users who sign in with ${printable(provider)}: ${users}. Link them to`, [
        ...named.filter(isAlike),
        { value: "", label: "no identity provider: these links are lost" },
        ...named.filter((choice) => !isAlike(choice)),
      ]);
      // `okta (samlp)`: the connection is what --idp takes.
      if (id !== "") flags.push("--idp", `${provider.replace(/ \([^()]*\)$/, "")}=${id}`);
    }
    return flags;
  }
}

/** The word by which a provider of the target is found: the type of `acme (samlp)`, as the name is the company's, and others may have it, too. */
export function kindOfProvider(provider: string): string {
  const [, type = provider] = /\(([^()]*)\)$/.exec(provider) ?? [];
  const [kind = ""] = type
    .toLowerCase()
    .replace("samlp", "saml")
    .split(/[^a-z0-9]/);
  return kind;
}

/** What the last run said of users that it did not understand, as far as it did. */
export function layoutIn(problems: AnyReport["problems"], before: Layout): Layout {
  const { columns, paths, mapping } =
    problems.find((one) => one.columns !== undefined || one.paths !== undefined) ?? {};
  const named = (columns ?? paths)?.filter((name) => name !== "");
  return { columns: named ?? before.columns, mapping: mapping ?? before.mapping };
}

/** The words of a column; where they are if they are not known. */
function wordsIn(found: ColumnWords, rejects: string | undefined): string {
  const column = shown(found.column);
  if (found.words.length > 0) return `${column} has ${listedWords(found)}`;
  const place = rejects === undefined ? "" : `, which the rows in ${printable(rejects)} have`;
  return `${column} has more than can be shown, or none that are words${place}: is it the right column for ${found.field}?`;
}

/** The key of words in the set of questions. */
const WORDS = "--value ";

function keyOfWords({ column, words }: ColumnWords): string {
  return `${WORDS}${JSON.stringify([column, words.map(({ text }) => text)])}`;
}

export function flagsOfWords(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => ["--value", word]);
}

/** What is not read, with the number of users who have it; columns of a table are not counted. What `--map` cannot name is left out. */
function unreadIn({ columns, leftBehind }: MigrateNumbers): Readonly<Record<string, number | "">> {
  const { unused = [], unreadHashes = [] } = columns ?? {};
  const ofTable = unused.filter((column) => !/[,=|<>]/.test(column));
  const unread = { ...Object.fromEntries(ofTable.map((column) => [column, ""] as const)), ...leftBehind?.fields };
  // Hashes become no metadata; a warning says how they are read.
  return Object.fromEntries(Object.entries(unread).filter(([name]) => !unreadHashes.includes(name)));
}

/** True if most passwords are no hashes of a known form: they may be plain ones. */
function isMostlyNoHash(numbers: MigrateNumbers): boolean {
  const unchecked = uncheckedIn(numbers);
  return (numbers.reasons?.["field.hash"] ?? 0) - unchecked > numbers.users.withHash + unchecked;
}

/** How many hashes are of a known kind that the target does not check. */
function uncheckedIn({ unverifiable = {} }: MigrateNumbers): number {
  return Object.values(unverifiable).reduce((sum, users) => sum + users, 0);
}
