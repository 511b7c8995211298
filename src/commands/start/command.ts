import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import { journalBeside } from "../../io/output/replaceable.ts";
import { listIdps } from "../../jobs/shared/list-idps.ts";
import { count, counted, printable, shown, shownNames } from "../../problem/format.ts";
import { isWhole, listedColumns } from "../../problem/usage.ts";
import { type ExitCode, exitCodeOf, exitCodes, ProblemError } from "../../problem.ts";
import type { OptionTable, Source } from "../../sources/source.ts";
import type { AnyReport, ReportFields } from "../../ui/report.ts";
import { foreseenFailures } from "../../ui/summary/import-plan.ts";
import { usersByName } from "../../ui/summary/left-behind.ts";
import { type ColumnWords, listedWords, meaningOfFirst } from "../../ui/summary/unknown-words.ts";
import { isThere } from "../../ui/terminal/ask.ts";
import { shellLine } from "../../ui/terminal/next-steps.ts";
import { createUi, type Ui } from "../../ui/ui.ts";
import type { CommandWorld, Handler } from "../shared/command-entry.ts";
import { faultOfValues, flagFor, flagsOfColumns, wordsOf, wordsOfFlag } from "./answers.ts";
import { type Ask, Cancelled, type Choice, openAsk } from "./ask.ts";
import { kindOf, likelyKind, whyUnfit } from "./kind-of-file.ts";
import { createRunner, linesOf, type Runner } from "./run-orgferry.ts";
import { askTarget, type Target, withApi } from "./target.ts";

const BODY = "importBody.json";
const REPORT = `${BODY}.report.json`;
/** The report of `doctor --probe`. */
const PROBE = `${BODY}.probe.json`;

const PLAIN = "--plain-passwords";
const LIST = "--list";
const UNVERIFIABLE = "--unverifiable";
const SAME_EMAIL = "--same-email";
const VERIFIED = "--email-verified";
/** Columns with one of plain passwords. */
const OF_PASSWORDS = /(^|,)\s*password\s*=/i;

/** The commands of this run have the token in their environment. */
const TOKEN_LINE = "Commands with --target need the token: --token-file <path>, or PAT_IMPORT_TOKEN.";

const NO_REPORT: Pick<AnyReport, "startedAt" | "problems"> = { startedAt: "", problems: [] };

/** From so many rejected rows on, or from this share of all, Enter does not continue without them. */
const MANY_REJECTED = 10;
const MANY_REJECTED_SHARE = 0.1;

/** `start`: asks for everything that a migration needs, and runs the other commands. */
export const start: Handler<[], object> = async (_, world) => {
  const { context } = world;
  if (!isThere(context)) {
    context.stderr.write(
      "orgferry start asks questions and needs a terminal. In a script, use the commands: orgferry --help\n",
    );
    return exitCodes.usage;
  }
  const ui = await createUi({ ...context, quiet: false, verbose: false, color: true });
  const runner = createRunner(context);
  try {
    return await new Guide(world, ui, await openAsk(context), runner).lead();
  } catch (error) {
    if (error instanceof Cancelled) {
      ui.say("Ended at a question: no user was imported. To begin again: orgferry start");
      return exitCodes.interrupted;
    }
    if (!(error instanceof ProblemError)) throw error;
    // A command that was interrupted has said so.
    const isSaid = error.problem.code === "run.aborted" && isInterrupted(runner.runs.at(-1)?.code);
    if (!isSaid) ui.problem(error.problem);
    return exitCodeOf(error.problem);
  } finally {
    const lines = linesOf(runner.runs);
    if (lines.length > 0) ui.say("");
    for (const line of lines) ui.say(`ran: ${line}`);
    if (lines.some((line) => line.includes(" --target "))) ui.say(TOKEN_LINE);
  }
};

function isInterrupted(code: ExitCode | undefined): boolean {
  return code === exitCodes.interrupted || code === exitCodes.terminated;
}

/** The numbers of a report that decide what is asked next. */
interface MigrateNumbers {
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
interface Layout {
  /** Of a table; or paths. */
  readonly columns: readonly string[];
  /** The map that is proposed, with placeholders for what was not found; "": none. */
  readonly mapping: string;
}

/** How a run of `migrate` ended, and its arguments. */
interface Converted {
  readonly code: ExitCode;
  readonly line: readonly string[];
}

class Stopped extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode) {
    super();
    this.code = code;
  }
}

/** The questions, in order. */
class Guide {
  readonly #context: Context;
  readonly #sources: readonly Source[];
  readonly #ui: Ui;
  readonly #ask: Ask;
  readonly #runner: Runner;
  readonly #world: { readonly context: Context; readonly ui: Ui };
  /** The flags of a probe, which one session needs once. */
  #probed: readonly string[] | undefined;
  /** The organization that was chosen; "": none yet. */
  #orgId = "";
  /** An empty answer leads back to the first question. */
  #isBack = false;

  constructor({ context, sources }: CommandWorld, ui: Ui, ask: Ask, runner: Runner) {
    this.#context = context;
    this.#sources = sources;
    this.#ui = ui;
    this.#ask = ask;
    this.#runner = runner;
    this.#world = { context, ui };
  }

  async lead(): Promise<ExitCode> {
    try {
      let file = await this.#file();
      const target = await askTarget(this.#ask, this.#world);
      for (;;) {
        const kind = kindOf(resolve(this.#context.cwd, file), this.#sources);
        const body = kind === "body" ? file : await this.#migrate(file, kind, target);
        if (body !== undefined) {
          await this.#import(body, target);
          return exitCodes.done;
        }
        this.#ui.say(
          this.#isBack
            ? "Back to the first question. Ctrl-C ends."
            : "This did not work: see above. Answer again, or press Ctrl-C.",
        );
        this.#isBack = false;
        file = await this.#file(file);
      }
    } catch (error) {
      if (error instanceof Stopped) return error.code;
      throw error;
    }
  }

  /** @param initial the answer before, which was wrong. */
  #file(initial = ""): Promise<string> {
    const refuse = (given: string) => {
      const path = resolve(this.#context.cwd, given.trim());
      if (given.trim() === "") return "Name the file or folder.";
      if (!existsSync(path)) return "There is no such file.";
      return whyUnfit(path, this.#sources);
    };
    return this.#ask.text("File or folder with the users", { initial, refuse }).then((path) => path.trim());
  }

  /**
   * Migrates, shows what is left behind, and migrates again with the flags that carry it over. Returns the body; undefined if an answer
   * was wrong, which the command has said.
   */
  async #migrate(file: string, kind: string | undefined, target: Target): Promise<string | undefined> {
    const first = kind ?? likelyKind(resolve(this.#context.cwd, file));
    const sources = [...this.#sources].sort((a, b) => Number(b.id === first) - Number(a.id === first));
    const id = await this.#ask.one(
      kind === undefined ? "The file is of no known kind. What is it?" : "What is the file?",
      sources.map((source) => ({ value: source.id, label: source.title })),
    );
    const source = sources.find((one) => one.id === id) as Source; // the choices are the sources
    const org = await this.#org(target);
    const args = ["migrate", source.id, "--org", org, `--${source.users.flag}`, file];
    const credentials = await this.#credentials(source, file);
    args.push(...credentials);
    // Without a second file, the users may have hashes themselves.
    if (!credentials.includes("none")) args.push(...(await this.#probe(target)));
    args.push("--output", BODY, "--report", REPORT);
    const asked = new Set<string>();
    let { code, line } = await this.#convert(source, args, asked);
    if (code === exitCodes.usage || code === exitCodes.file) return undefined;
    while (isRead(code)) {
      // A run with more flags may show more users, and so more that is left behind.
      const numbers = this.#numbers();
      const words = flagsOfWords(await this.#words(source, numbers, [], asked));
      const values = await this.#values(source, numbers, asked);
      const more = [...words, ...values, ...(await this.#leftBehind(source, org, target, asked))];
      if (more.length === 0) break;
      line = [...line, ...more];
      code = await this.#runner.run(line);
    }
    if (!isRead(code)) throw new Stopped(code);
    const numbers = this.#numbers();
    this.#sayRoles(numbers);
    await this.#acceptRejects(numbers);
    return BODY;
  }

  /** Runs `migrate`. Asks what columns and words mean as long as it does not understand a table or list. */
  async #convert(source: Source, given: readonly string[], asked: Set<string>): Promise<Converted> {
    const { options } = source;
    let args = given;
    let columns: readonly string[] = [];
    let answer = "";
    let layout: Layout = { columns: [], mapping: "" };
    let words: readonly string[] = [];
    for (;;) {
      const line = [...args, ...columns, ...flagsOfWords(words)];
      const begun = this.#context.now();
      const ended = await this.#runner.run(line);
      // Without a user to write, the body of an earlier session is kept; the input was read.
      const isKept = ended === exitCodes.file && this.#problemsSince(begun).some(({ code }) => code === "output.kept");
      const code = isKept ? exitCodes.partial : ended;
      const settled = isRead(code) ? [] : await this.#settle(source, begun, asked);
      if (settled.length > 0) {
        args = [...args, ...settled];
        continue;
      }
      if (options["mapping"] === undefined || !(isRead(code) || code === exitCodes.usage)) return { code: ended, line };
      if (isRead(code)) {
        const numbers = this.#numbers();
        const before = words;
        words = await this.#words(source, numbers, before, asked);
        if (words !== before) continue;
        if (
          isMostlyNoHash(numbers) &&
          !columns.includes(PLAIN) &&
          isNew(PLAIN, asked) &&
          (await this.#arePlain("Some hashes are of no known form.", numbers.problems))
        ) {
          answer = answer.replace(/(^|,)(\s*)hash(\s*=)/i, "$1$2password$3");
          columns = [...flagsOfColumns(answer), PLAIN];
          continue;
        }
        if (numbers.users.written > 0) return { code: ended, line };
        const values = await this.#values(source, numbers, asked);
        if (values.length > 0) {
          args = [...args, ...values];
          continue;
        }
      }
      // Other columns have other words.
      for (const question of asked) if (question === PLAIN || question.startsWith(WORDS)) asked.delete(question);
      layout = layoutIn(this.#problemsSince(begun), layout);
      answer = await this.#columns(answer, layout, source);
      if (answer === "") {
        this.#isBack = true;
        return { code: exitCodes.usage, line };
      }
      const isPlain = OF_PASSWORDS.test(answer) && (await this.#arePlain());
      columns = [...flagsOfColumns(answer), ...(isPlain ? [PLAIN] : [])];
    }
  }

  /** The problems of the run that began then; none if it wrote no report. */
  #problemsSince(begun: Date): AnyReport["problems"] {
    const { startedAt, problems } = this.#readIfAny<Pick<AnyReport, "startedAt" | "problems">>(REPORT) ?? NO_REPORT;
    // A run that cannot write its report leaves an older one.
    return Date.parse(startedAt) >= begun.getTime() ? problems : [];
  }

  /** Flags for what ended a run, if one answer is enough; none otherwise. @param begun when the run began. */
  async #settle(source: Source, begun: Date, asked: Set<string>): Promise<readonly string[]> {
    const problems = this.#problemsSince(begun);
    const { documents = [] } = problems.find(({ code }) => code === "input.several-documents") ?? {};
    if (documents.length > 0) return this.#document(source.users, documents);
    const { lists = [] } = problems.find(({ lists }) => lists !== undefined) ?? {};
    if (lists.length > 0 && !asked.has(LIST)) return this.#list(lists, asked);
    if (!problems.some(({ fields = [] }) => fields.join() === "email")) return [];
    const question =
      "No column for the e-mail address. Domain for made-up addresses, such as users.example.com (empty: name the column)";
    return this.#value(source.options["emailDomain"], question, asked);
  }

  /** The flag that chooses a document of a file of several, such as a realm. */
  async #document(
    { shape }: Source["users"],
    documents: NonNullable<AnyReport["problems"][number]["documents"]>,
  ): Promise<readonly string[]> {
    if (shape.kind !== "document" || shape.name === undefined) return [];
    const choices = [...documents]
      .sort((a, b) => b.rows - a.rows)
      .map(({ name, rows }) => ({ value: name, label: printable(name), hint: counted(rows, "user") }));
    return [shape.name.flag, await this.#ask.one(`Users of which ${shape.name.key}?`, choices)];
  }

  /** The flag that says which list of a document has the users; none if the document is a user. */
  async #list(lists: readonly string[], asked: Set<string>): Promise<readonly string[]> {
    asked.add(LIST);
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
  async #columns(before: string, { columns, mapping }: Layout, { options }: Source): Promise<string> {
    const { say } = this.#ui;
    if (columns.length > 0) say(`The users have: ${listedColumns(columns.map(shown))}`);
    say(`Fields: ${options["mapping"]?.names?.join(", ")}`);
    const presets = options["preset"]?.names ?? [];
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
   * @param asked words that got no meaning are not asked for again.
   */
  async #words(
    { options }: Source,
    { unknownWords: all = [], users, rejects }: MigrateNumbers,
    before: readonly string[],
    asked: Set<string>,
  ): Promise<readonly string[]> {
    const unknownWords = all.filter((one) => !asked.has(keyOfWords(one)));
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
          return isNew ? faultOfValues(options["words"], all) : "These meanings are known: the file has other words.";
        },
      },
    );
    if (text.trim() !== "") return wordsOf(text, before);
    for (const one of unknownWords) asked.add(keyOfWords(one));
    return before;
  }

  /** Flags with values that users lack, one for all of them. @param asked the flags that were asked for, and will be. */
  async #values({ options }: Source, numbers: MigrateNumbers, asked: Set<string>): Promise<readonly string[]> {
    const { reasons = {}, remarks = {} } = numbers;
    const flags = [
      ...(await this.#unchecked(numbers, asked)),
      ...(await this.#sameName(numbers, asked)),
      ...(await this.#verified(numbers, asked)),
    ];
    const without = reasons["user.no-email"];
    if (without !== undefined) {
      const question = `Domain for the e-mail addresses of ${counted(without, "user")} without one, such as users.example.com (empty: they are rejected)`;
      flags.push(...(await this.#value(options["emailDomain"], question, asked)));
    }
    if (remarks["phone-lost"] !== undefined) {
      const question = "Country of national phone numbers, such as DE (empty: they are dropped)";
      flags.push(...(await this.#value(options["phoneCountry"], question, asked)));
    }
    return flags;
  }

  /** How users are written whose hashes the target does not check, or no target does. */
  async #unchecked(numbers: MigrateNumbers, asked: Set<string>): Promise<string[]> {
    const { reasons = {}, unverifiable = {} } = numbers;
    const unchecked = uncheckedIn(numbers);
    const users = Math.max(unchecked, (reasons["field.hash"] ?? 0) + (reasons["user.bad-hash"] ?? 0));
    if (users === 0 || !isNew(UNVERIFIABLE, asked)) return [];
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
  async #sameName({ reasons = {} }: MigrateNumbers, asked: Set<string>): Promise<readonly string[]> {
    const passedOver = reasons["user.passed-over"] ?? 0;
    const users = passedOver + (reasons["user.duplicate-name"] ?? 0) + (reasons["user.better-rejected"] ?? 0);
    if (users === 0 || !isNew(SAME_EMAIL, asked)) return [];
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
  async #verified(numbers: MigrateNumbers, asked: Set<string>): Promise<readonly string[]> {
    const { columns, users } = numbers;
    const { email, emailVerified } = columns?.used ?? {};
    if (email === undefined || emailVerified !== undefined || users.written === 0 || !isNew(VERIFIED, asked)) return [];
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
  async #value(
    option: OptionTable[string] | undefined,
    question: string,
    asked: Set<string>,
  ): Promise<readonly string[]> {
    const [flag = ""] = option?.flag.split(" ") ?? [];
    if (option === undefined || asked.has(flag)) return [];
    asked.add(flag);
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

  /** The flags that make `migrate` judge hashes as the target does; none if this is not wanted or not found out. */
  async #probe(target: Target): Promise<readonly string[]> {
    this.#probed ??= await this.#probeOnce(target);
    return this.#probed;
  }

  async #probeOnce({ address, env }: Target): Promise<readonly string[]> {
    const answer = await this.#ask.one(
      "Find out which password hashes the target accepts? This creates, changes and deletes nothing there",
      [
        { value: "yes", label: "Yes" },
        { value: "no", label: "No, count on bcrypt only: users with other hashes are rejected" },
      ],
    );
    if (answer === "no") return [];
    const code = await this.#runner.run(["doctor", "--target", address, "--probe", "--report", PROBE], env);
    if (code === exitCodes.interrupted) throw new Stopped(code);
    // With these codes, there may be no report of this run. Others may come from a check besides the probe.
    const isReported = code !== exitCodes.usage && code !== exitCodes.file;
    const { probe } = isReported ? this.#read<{ readonly probe?: { readonly flags?: string } }>(PROBE) : {};
    if (probe?.flags !== undefined) return probe.flags.split(" ");
    this.#ui.warn("it is not known which hashes the target accepts: migrate counts on bcrypt only.");
    return [];
  }

  /** Asks whether to continue without the rejected rows. After many of them, Enter does not. */
  async #acceptRejects(numbers: MigrateNumbers): Promise<void> {
    const { read, written, rejected } = numbers.users;
    if (rejected > 0 && written > 0) {
      const choices = [
        { value: "yes", label: "Yes" },
        { value: "no", label: "No, I correct them first" },
      ];
      if (rejected > MANY_REJECTED || rejected > read * MANY_REJECTED_SHARE) choices.reverse();
      const question = `${count(rejected)} of ${counted(read, "user")} ${rejected === 1 ? "was" : "were"} rejected. Continue without them?`;
      if ((await this.#ask.one(question, choices)) === "yes") return;
    }
    if (written > 0 && rejected === 0) return;
    this.#sayCorrections(numbers);
    throw new Stopped(exitCodes.partial);
  }

  /** Where the rejected rows are, what is to be corrected, and how to continue. */
  #sayCorrections({ rejects, reasons = {}, columns }: MigrateNumbers): void {
    const { say } = this.#ui;
    if (rejects !== undefined)
      say(`The rejected rows are in ${rejects}. Its reasons.ndjson has file, line and reason of each.`);
    if (Object.keys(reasons).some((code) => code.endsWith("hash"))) {
      say("For hashes that the target does not accept, change the settings of the target,");
      say("or add --unverifiable later: these users are imported without a password.");
      if (columns !== undefined)
        say("If the column has the passwords themselves, answer yes to that question (--plain-passwords).");
    }
    this.#sayAgain("Correct the rows in the file with the users, and run again:");
  }

  /** A rule for each of them names a project of the target: that is more than an answer. */
  #sayRoles({ users, leftBehind }: MigrateNumbers): void {
    const roles = Object.entries(leftBehind?.roles ?? {});
    if (users.written === 0 || roles.length === 0) return;
    this.#ui.say(`Not granted, by users: ${usersByName(roles)}.`);
    this.#sayAgain("To grant them, press Ctrl-C, and run again with --grant <name>=<project id>:<role key>:");
  }

  /** The conversion as it was, to be run with a change. */
  #sayAgain(why: string): void {
    const { say } = this.#ui;
    say(why);
    say(`  ${this.#runner.runs.at(-1)?.line}`);
    say(`Then continue with orgferry start, and ${BODY} as the file.`);
  }

  async #org({ orgs }: Target): Promise<string> {
    const choices = [...(orgs ?? [])].map(
      ([id, name]): Choice<string> => ({ value: id, label: printable(name), hint: id }),
    );
    // After a wrong file, the organization of before is the first one.
    choices.sort((a, b) => Number(b.value === this.#orgId) - Number(a.value === this.#orgId));
    this.#orgId =
      choices.length > 0
        ? await this.#ask.one("Organization of the target", choices)
        : await this.#ask.text("Id of the organization of the target", { initial: this.#orgId });
    return this.#orgId;
  }

  async #credentials({ credentials }: Source, users: string): Promise<readonly string[]> {
    if (credentials === undefined) return [];
    const { flag, defaultPath } = credentials;
    const { cwd } = this.#context;
    const isNone = (path: string): boolean =>
      path.trim() === "" || (path.trim() === "none" && !existsSync(resolve(cwd, "none")));
    const refuse = (path: string) => {
      if (isNone(path)) return undefined;
      if (resolve(cwd, path.trim()) === resolve(cwd, users)) return "This is the file with the users.";
      return existsSync(resolve(cwd, path.trim())) ? undefined : "There is no such file.";
    };
    const isFound = existsSync(resolve(cwd, defaultPath)) && refuse(defaultPath) === undefined;
    const initial = isFound ? defaultPath : "";
    const path = (await this.#ask.text("File with the password hashes (empty: none)", { initial, refuse })).trim();
    // The command is pasted later, where the default file may be: "none" is named, too.
    if (isNone(path)) return [`--${flag}`, "none"];
    return [`--${flag}`, path === "none" ? "./none" : path];
  }

  /** The flags that carry over what a run left behind, as far as they are wanted. @param asked the flags that were asked for, and will be. */
  async #leftBehind(
    { carriedBy = {} }: Source,
    org: string,
    target: Target,
    asked: Set<string>,
  ): Promise<readonly string[]> {
    const numbers = this.#numbers();
    const { providers = {} } = numbers.leftBehind ?? {};
    const flags = new Map<string, string[]>();
    for (const [field, users] of Object.entries(unreadIn(numbers))) {
      const flag = flagFor(field, carriedBy);
      if (flag === undefined || asked.has(flag)) continue;
      flags.set(flag, [...(flags.get(flag) ?? []), `${printable(field)} ${users}`.trim()]);
    }
    const others = Object.entries(providers).filter(([provider]) => !asked.has(`--idp ${provider}`));
    for (const flag of [...flags.keys(), ...others.map(([provider]) => `--idp ${provider}`)]) asked.add(flag);
    const wanted =
      flags.size === 0
        ? []
        : await this.#ask.several(
            "Not carried over yet (space selects)",
            [...flags].map(([flag, names]) => ({ value: flag, label: names.join(", "), hint: flag })),
            // Names: without them, each user has the full name as first and as last name.
            [...flags.keys()].filter((flag) => flag === "--profile full"),
          );
    const links = await this.#links(others, org, target);
    return [...wanted.flatMap(wordsOfFlag), ...links];
  }

  async #links(
    providers: readonly (readonly [string, number])[],
    org: string,
    { env }: Target,
  ): Promise<readonly string[]> {
    if (providers.length === 0) return [];
    const listed = await withApi(env, this.#world, (asking) => listIdps(asking, [org])).catch((error: unknown) => {
      if (error instanceof ProblemError && !this.#context.signal.aborted) return [];
      throw error;
    });
    const choices = new Map(listed.map(({ id, name, type }) => [id, `${printable(name)} (${printable(type)})`]));
    const flags: string[] = [];
    for (const [provider, users] of providers) {
      const [kind = ""] = provider.toLowerCase().split(/[^a-z0-9]/);
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

  /** A report that may be missing, or another file. */
  #readIfAny<Report>(path: string): Report | undefined {
    try {
      return this.#read(path);
    } catch {
      return undefined;
    }
  }

  #numbers(): MigrateNumbers {
    return this.#read(REPORT);
  }

  /** A report that a command of this run has just written. */
  #read<Report>(path: string): Report {
    return JSON.parse(readFileSync(resolve(this.#context.cwd, path), "utf8")) as Report; // checked where it is written
  }

  /** Whether users that exist are changed. Enter is a no: that changes nothing. */
  async #isUpdate(users: number): Promise<boolean> {
    const question = `${counted(users, "user exists", "users exist")} on the target already`;
    const choices = [
      { value: "no", label: "Leave them as they are" },
      { value: "yes", label: "Change them to what the file says (the changes are shown first)" },
    ];
    return (await this.#ask.one(question, choices)) === "yes";
  }

  async #import(body: string, { address, env }: Target): Promise<void> {
    const args = ["import", body, "--target", address];
    const unfinished = journalBeside(body);
    if (existsSync(resolve(this.#context.cwd, unfinished))) {
      this.#ui.say(
        `An earlier import of ${body} is not finished. To see how to continue it: ${shellLine(["orgferry", "status", unfinished])}`,
      );
      throw new Stopped(exitCodes.file);
    }
    const foreseen = `${body}.dry-run.json`;
    const rehearse = async (): Promise<ExitCode> => {
      const code = await this.#runner.run([...args, "--dry-run", "--report", foreseen], env);
      if (!isRead(code)) throw new Stopped(code);
      return code;
    };
    let rehearsal = await rehearse();
    const { users } = this.#readIfAny<Pick<ReportFields<"import">, "foreseen">>(foreseen)?.foreseen ?? {};
    if (users !== undefined && users.alreadyThere > 0 && (await this.#isUpdate(users.alreadyThere))) {
      args.push("--update");
      rehearsal = await rehearse();
    }
    const failing = foreseenFailures(users);
    if (users !== undefined && failing > 0 && users.new + users.alreadyThere === 0) {
      this.#ui.say("None of these users can be imported: the lines above say why, and what to do.");
      throw new Stopped(rehearsal);
    }
    const { recipients = [] } = this.#readIfAny<Pick<AnyReport, "recipients">>(foreseen) ?? {};
    // The service tells the owner of a changed password, and --no-mail would end such an update.
    const canBeSilent = !recipients.some(({ reason }) => reason === "password-changed");
    // The first answer is the one that Enter gives: it sends nothing.
    const choices = [
      { value: "no", label: "No" },
      ...(canBeSilent ? [{ value: "no-mail", label: "Yes, and no user gets an e-mail or an SMS" }] : []),
      { value: "mail", label: "Yes, with the e-mails and SMS that the plan names" },
    ];
    const what =
      failing > 0 ? "Some of these users will fail, as said above. Import the others now?" : "Import these users now?";
    const how = await this.#ask.one(what, choices);
    const real = [...args, "--rejects", `${body}.failed`, "--verify"];
    if (how === "no") {
      this.#ui.say(`To import them later: ${shellLine(["orgferry", ...real])}`);
      this.#ui.say("It asks before it sends e-mails or SMS. With --no-mail it sends none.");
      throw new Stopped(exitCodes.done);
    }
    const flags = how === "mail" ? ["--yes"] : ["--no-mail"];
    const isThere = (path: string): boolean => existsSync(resolve(this.#context.cwd, path));
    const outcome = `${body}.import.json`;
    const begun = this.#context.now();
    try {
      const code = await this.#runner.run([...real, ...flags, "--report", outcome], env);
      if (code !== exitCodes.done) throw new Stopped(code);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== "run.aborted") throw error;
      throw new ProblemError({ ...error.problem, midway: true });
    } finally {
      const report = this.#readIfAny<AnyReport>(outcome);
      const { manifest } =
        report !== undefined && Date.parse(report.startedAt) >= begun.getTime() ? report : NO_MANIFEST;
      const journal = journalBeside(body);
      if (manifest !== undefined)
        this.#ui.say(
          `To delete the users that it created: ${shellLine(["orgferry", "undo", manifest, "--target", address])}`,
        );
      if (isThere(journal))
        this.#ui.say(
          `The import is not finished. To see how to continue it: ${shellLine(["orgferry", "status", journal])}`,
        );
    }
  }
}

const NO_MANIFEST: Pick<AnyReport, "manifest"> = {};

/** What the last run said of users that it did not understand, as far as it did. */
function layoutIn(problems: AnyReport["problems"], before: Layout): Layout {
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

function flagsOfWords(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => ["--value", word]);
}

/** True for a question that was not asked; it counts as asked from now on. */
function isNew(question: string, asked: Set<string>): boolean {
  const isKnown = asked.has(question);
  asked.add(question);
  return !isKnown;
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

/** Whether a run with this exit code has read its input to the end. */
function isRead(code: ExitCode): boolean {
  return code === exitCodes.done || code === exitCodes.partial;
}
