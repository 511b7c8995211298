import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import { journalBeside } from "../../io/output/replaceable.ts";
import { count, counted, printable } from "../../problem/format.ts";
import { type ExitCode, exitCodeOf, exitCodes, ProblemError } from "../../problem.ts";
import type { Source } from "../../sources/source.ts";
import type { AnyReport, ReportFields } from "../../ui/report.ts";
import { foreseenFailures } from "../../ui/summary/foreseen.ts";
import { usersByName } from "../../ui/summary/left-behind.ts";
import { isThere } from "../../ui/terminal/ask.ts";
import { shellLine } from "../../ui/terminal/next-steps.ts";
import { createUi, type Ui } from "../../ui/ui.ts";
import type { CommandWorld, Handler } from "../shared/command-entry.ts";
import { flagsOfColumns } from "./answers.ts";
import { type Ask, Cancelled, type Choice, openAsk } from "./ask.ts";
import { FlagQuestions, flagsOfWords, type Layout, layoutIn, type MigrateNumbers, PLAIN } from "./flag-questions.ts";
import { kindOf, likelyKind, whyUnfit } from "./kind-of-file.ts";
import { createRunner, linesOf, type Runner } from "./run-orgferry.ts";
import { askTarget, type Target } from "./target.ts";

const BODY = "importBody.json";
const REPORT = `${BODY}.report.json`;
/** The report of `doctor --probe`. */
const PROBE = `${BODY}.probe.json`;

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
    const world = { ask: this.#ask, context: this.#context, ui: this.#ui };
    const questions = new FlagQuestions(world, source, { target, org });
    let { code, line } = await this.#convert(source, args, questions);
    if (code === exitCodes.usage || code === exitCodes.file) return undefined;
    while (isRead(code)) {
      // A run with more flags may show more users, and so more that is left behind.
      const numbers = this.#numbers();
      const words = flagsOfWords(await questions.words(numbers, []));
      const values = await questions.values(numbers);
      const more = [...words, ...values, ...(await questions.leftBehind(numbers))];
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
  async #convert({ options }: Source, given: readonly string[], questions: FlagQuestions): Promise<Converted> {
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
      const settled = isRead(code) ? [] : await questions.settle(this.#problemsSince(begun));
      if (settled.length > 0) {
        args = [...args, ...settled];
        continue;
      }
      if (options["mapping"] === undefined || !(isRead(code) || code === exitCodes.usage)) return { code: ended, line };
      if (isRead(code)) {
        const numbers = this.#numbers();
        const before = words;
        words = await questions.words(numbers, before);
        if (words !== before) continue;
        if (!columns.includes(PLAIN) && (await questions.areUnknownPlain(numbers))) {
          answer = answer.replace(/(^|,)(\s*)hash(\s*=)/i, "$1$2password$3");
          columns = [...flagsOfColumns(answer), PLAIN];
          continue;
        }
        if (numbers.users.written > 0) return { code: ended, line };
        const values = await questions.values(numbers);
        if (values.length > 0) {
          args = [...args, ...values];
          continue;
        }
      }
      questions.forgetColumns();
      layout = layoutIn(this.#problemsSince(begun), layout);
      answer = await questions.columns(answer, layout);
      if (answer === "") {
        this.#isBack = true;
        return { code: exitCodes.usage, line };
      }
      const isPlain = await questions.arePlain(answer);
      columns = [...flagsOfColumns(answer), ...(isPlain ? [PLAIN] : [])];
    }
  }

  /** The problems of the run that began then; none if it wrote no report. */
  #problemsSince(begun: Date): AnyReport["problems"] {
    const { startedAt, problems } = this.#readIfAny<Pick<AnyReport, "startedAt" | "problems">>(REPORT) ?? NO_REPORT;
    // A run that cannot write its report leaves an older one.
    return Date.parse(startedAt) >= begun.getTime() ? problems : [];
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

/** Whether a run with this exit code has read its input to the end. */
function isRead(code: ExitCode): boolean {
  return code === exitCodes.done || code === exitCodes.partial;
}
