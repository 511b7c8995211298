import { type Command, type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { type HashLimits, hashLimitEnds, parseHashLimits } from "../../contract/hash-limits.ts";
import { type Verifier, verifiers } from "../../contract/verifiers.ts";
import { isKnownVersion, NEWEST_VERSION } from "../../contract/versions.ts";
import { inputsOf, OptionFault, type Source, type SourceOption } from "../../sources/source.ts";
import { type CommandEntry, type Handler, runOnAction } from "../shared/command-entry.ts";
import { addCommonOptions, addPageOptions } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { parseCount, parseId, parseSize, timeoutOption } from "../shared/parse-flags.ts";
import { addPilotOptions } from "../shared/pilot/flags.ts";

const NO_ORGS: ReadonlyMap<string, string> = new Map();

/** One organization and its counterpart. Raises commander's InvalidArgumentError. */
function addOrg(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.lastIndexOf("=");
  if (at < 1 || at === text.length - 1)
    throw new InvalidArgumentError("It must be a name and an id, such as acme=1234.");
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
}

const DEFAULT_VERIFIERS: readonly Verifier[] = ["bcrypt"];

/** Names of verifiers, by commas. Raises commander's InvalidArgumentError. */
function parseVerifiers(text: string): readonly Verifier[] {
  return text.split(",").map((name) => {
    const known = verifiers.find((verifier) => verifier === name.trim());
    if (known === undefined) throw new InvalidArgumentError(`It must be names of ${verifiers.join(", ")}.`);
    return known;
  });
}

/** A known version. Raises commander's InvalidArgumentError. */
function parseVersion(text: string): string {
  if (isKnownVersion(text)) return text;
  throw new InvalidArgumentError(`It must be a version up to ${NEWEST_VERSION}, such as 4.13 (doctor shows it).`);
}

/** Limits of hashes that differ from those of the version. Raises commander's InvalidArgumentError. */
function parseLimits(text: string): HashLimits | "none" {
  const limits = parseHashLimits(text);
  if (limits !== undefined) return limits;
  throw new InvalidArgumentError(
    `It must be none, or limits such as bcrypt.minCost=4,argon2.minMemory=7168, of ${hashLimitEnds.join(", ")}.`,
  );
}

/** The program itself needs about half of it. */
const LEAST_MEMORY = 192 * 2 ** 20;

/** Bytes. Raises commander's InvalidArgumentError. */
function parseMemory(text: string): number {
  const bytes = parseSize(text);
  if (bytes < LEAST_MEMORY) throw new InvalidArgumentError("It must be at least 192MiB.");
  return bytes;
}

/** `migrate <source_provider>`: a sub-command for each provider, or for the one that is named. */
export function migrateEntry(load: () => Promise<Handler<[Source], MigrateOptions>>): CommandEntry {
  return {
    name: "migrate",
    needsAll: false,
    attach(program, wiring) {
      const { sources, next } = wiring;
      const group = declareMigrate(program, sources);
      const named = sources.filter(({ id }) => id === next);
      for (const source of named.length === 0 ? sources : named) {
        runOnAction(declareSource(group, source), wiring, async () => {
          const migrate = await load();
          return (options, world) => migrate(source, { ...options, ...givenOf(source, options) }, world);
        });
      }
    },
  };
}

/** Declares `migrate`, whose sub-commands are the source providers. */
function declareMigrate(program: Command, sources: readonly Source[]) {
  const group = program
    .command("migrate")
    .description("merge another provider's files into an import body, offline")
    .usage("<source_provider> [options]")
    // An unknown provider ends here, with any flags behind it.
    .allowUnknownOption()
    .allowExcessArguments();
  group.action(() => {
    const name = group.args[0]?.startsWith("-") === false ? group.args[0] : undefined;
    const fault = name === undefined ? "name the provider that the files come from" : `unknown provider '${name}'`;
    const choices = name === undefined ? [] : sources.filter(({ options }) => isChoice(options["preset"], name));
    if (choices.length > 0) {
      const ways = choices.map(({ id, title }) => `orgferry migrate ${id} --preset ${name} (for ${title})`);
      group.error(`error: '${name}' is a preset: use ${ways.join(" or ")}`);
    }
    if (name !== undefined && LIKE_FILE.test(name))
      group.error(
        `error: '${name}' is no provider: name the provider first, and a file with --users, such as orgferry migrate csv --users ${name}; to send an import body or an export, use orgferry import ${name}`,
      );
    const lines = sources.map(({ id, title }) => `  orgferry migrate ${id.padEnd(10)} ${title}`);
    group
      .showHelpAfterError("(add the provider and --help for the flags)")
      .error(`error: ${fault}\n${lines.join("\n")}`);
  });
  return group;
}

/** A path, or a name with an ending. */
const LIKE_FILE = /[./\\]/;

/** True for a value that the option takes. */
function isChoice(option: SourceOption<unknown> | undefined, text: string): boolean {
  try {
    return option?.read([text], () => "") !== undefined;
  } catch (error) {
    if (error instanceof OptionFault) return false;
    throw error;
  }
}

/** Declares `migrate <source_provider>` for one provider: the common flags and its own. The help hides flags without effect for it. */
function declareSource(group: Command, source: Source) {
  const named = group
    .command(source.id)
    .description(`merge ${source.title} files into an import body`)
    .optionsGroup("Input:")
    .requiredOption("--org <id>", "id of the target organization (required)", parseId);
  for (const { flag, description, defaultPath, optional } of inputsOf(source)) {
    const none = optional === true ? "; none: no file" : "";
    named.option(`--${flag} <path>`, `${description} (default: ${defaultPath}${none})`);
  }
  for (const { flag, description } of Object.values(source.options)) named.option(flag, description, addGiven);
  const command = addCommonOptions(
    addPilotOptions(named)
      .addOption(
        new Option("--multiline", "each input file holds exactly one JSON object per line")
          .default(false)
          .hideHelp(!inputsOf(source).some(({ shape }) => shape.kind === "rows")),
      )
      .option("--email-verified", "mark all e-mail addresses as verified (default: as in the source)")
      .option("--no-email-verified", "mark all e-mail addresses as unverified")
      .optionsGroup("Output:")
      .option("--output <path>", "file for the import body; - is stdout", "./importBody.json")
      .addOption(timeoutOption("time limit of the import call, written into the body as given").default("5m0s"))
      .option("--rejects <dir>", "folder for rejected rows (default: <output>.rejects/)")
      .option("--strict", "write no body if any row is rejected", false)
      .addOption(
        new Option(
          "--target-verifiers <names>",
          `hash algorithms that the target verifies, separated by commas: ${verifiers.join(", ")}`,
        )
          .argParser(parseVerifiers)
          .default(DEFAULT_VERIFIERS, "bcrypt"),
      )
      .addOption(
        new Option(
          "--target-version <version>",
          "version of the target: judge hashes by its limits (default: the newest, whose limits are only reported)",
        ).argParser(parseVersion),
      )
      .addOption(
        new Option(
          "--target-limits <list>",
          "limits of hashes that the target changed, by the names of its settings, such as bcrypt.minCost=4; none: it has no limits (default: those of its version)",
        ).argParser(parseLimits),
      )
      .addOption(
        new Option(
          "--unverifiable <what>",
          "for users with another hash: reject the user, drop the hash, or drop it and mark the user for invite (later)",
        )
          .choices(["reject", "drop", "later"] as const)
          .default("reject" as const),
      )
      .addOption(
        new Option(
          "--same-email <which>",
          "several users with one user name (mostly the e-mail address): keep the first, keep the one with a password, link the others to it, or reject all",
        )
          .choices(["first", "password", "link", "reject"] as const)
          // To find users without a password in the users file takes one more pass over it: only on request.
          .default(source.credentials === undefined ? ("first" as const) : ("password" as const)),
      )
      .addOption(
        new Option("--org-map <name=id>", "organization of the source and its id on the target; repeatable")
          .argParser(addOrg)
          .default(NO_ORGS, "none")
          .hideHelp(source.namesOrgs !== true),
      )
      .addOption(
        new Option(
          "--memory <size>",
          "memory limit, at least 192MiB; larger tables go to encrypted temporary files",
        ).argParser(parseMemory),
      )
      .option("--split <users>", "write files of at most this many users: <output stem>-0001.json, …", parseCount),
  );
  command.addHelpText("after", helpText(examplesOf(source)));
  refuseArguments(command, source.users.flag);
  askForMandatoryLast(command);
  const verifiedFlags = new Set<string>();
  command.on("option:email-verified", () => verifiedFlags.add("--email-verified"));
  command.on("option:no-email-verified", () => verifiedFlags.add("--no-email-verified"));
  command.hook("preAction", () => {
    if (verifiedFlags.size > 1)
      command.error("error: --email-verified and --no-email-verified cannot be used together");
  });
  return addPageOptions(command);
}

function examplesOf(source: Source): readonly Example[] {
  const line = `orgferry migrate ${source.id} --org 165617390198000897`;
  const [input] = inputsOf(source);
  return [
    ["from the default files in this folder", line],
    ["from another file, into bodies of 5,000 users", `${line} --${input?.flag} ${input?.defaultPath} --split 5000`],
    ["directly into an instance", `${line} --output - --rejects rejected | orgferry import - --rejects failed --yes`],
  ];
}

/** Refuses a file without a flag: the default file would be migrated instead. */
function refuseArguments(command: CommandUnknownOpts, flag: string): void {
  command.hook("preAction", () => {
    const [first] = command.args;
    if (first !== undefined)
      command.error(`error: '${first}' has no flag: name input files by flags, such as --${flag} ${first}`);
  });
}

/** Where the value of a mandatory flag is found. */
const WHERE: Readonly<Record<string, string>> = {
  org: ". orgferry doctor lists the organizations of the target with their ids; the console shows the id on the page of the organization.",
};

/** Reports a misspelt flag first, rather than the missing mandatory flag. */
function askForMandatoryLast(command: CommandUnknownOpts): void {
  const mandatory = command.options.filter(({ mandatory }) => mandatory);
  for (const option of mandatory) option.makeOptionMandatory(false);
  command.hook("preAction", () => {
    for (const option of mandatory) {
      if (command.getOptionValue(option.attributeName()) === undefined)
        command.error(`error: required option '${option.flags}' not specified${WHERE[option.attributeName()] ?? ""}`);
    }
  });
}

/** The parsed flags of `migrate <source_provider>`. */
export type MigrateOptions = ReturnType<ReturnType<typeof declareSource>["opts"]> & {
  /** The given input files of the provider, by flag. */
  readonly files: Readonly<Record<string, string | undefined>>;
  /** The given values of the provider's own options, by name. */
  readonly given: Readonly<Record<string, readonly string[]>>;
};

/** A flag of a provider is repeatable; a switch has no text. */
function addGiven(text: string | undefined, before: readonly string[] = []): readonly string[] {
  return [...before, text ?? ""];
}

/** The given files and options of a provider. Its flags are data, so commander's types do not know them. */
function givenOf(source: Source, options: object): Pick<MigrateOptions, "files" | "given"> {
  const values: Readonly<Record<string, unknown>> = { ...options };
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const texts = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((one) => typeof one === "string") : value === true ? [""] : [];
  return {
    files: Object.fromEntries(inputsOf(source).map(({ flag }) => [flag, text(values[flag])])),
    given: Object.fromEntries(
      Object.entries(source.options).map(([name, { flag }]) => [name, texts(values[new Option(flag).attributeName()])]),
    ),
  };
}
