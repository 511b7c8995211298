import { type Command, type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { type Verifier, verifiers } from "../../contract/verifiers.ts";
import { inputsOf, type Source } from "../../sources/source.ts";
import { type CommandEntry, type Handler, runOnAction } from "../shared/command-entry.ts";
import { addCommonOptions, addPageOptions } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { parseCount, parseId, parseSize, timeoutOption } from "../shared/parse-flags.ts";

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

/** The program alone takes about half of it. */
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
    // What no provider takes ends here, with whatever flags stand behind it.
    .allowUnknownOption()
    .allowExcessArguments();
  return group.action(() => {
    const name = group.args[0]?.startsWith("-") === false ? group.args[0] : undefined;
    const fault = name === undefined ? "which provider do the files come from?" : `unknown provider '${name}'`;
    const lines = sources.map(({ id, title }) => `  orgferry migrate ${id.padEnd(10)} ${title}`);
    group.error(`error: ${fault}\n${lines.join("\n")}`);
  });
}

/**
 * Declares `migrate <source_provider>` for one provider: the flags all of them have, and its own. Those that mean nothing for it are
 * taken and not shown.
 */
function declareSource(group: Command, source: Source) {
  const named = group
    .command(source.id)
    .description(`merge ${source.title} files into an import body`)
    .optionsGroup("Input:")
    .requiredOption("--org <id>", "target organization id (required)", parseId);
  for (const { flag, description, defaultPath } of inputsOf(source)) {
    named.option(`--${flag} <path>`, `${description} (default: ${defaultPath})`);
  }
  for (const { flag, description } of Object.values(source.options)) named.option(flag, description, addGiven);
  const command = addCommonOptions(
    named
      .addOption(
        new Option("--multiline", "both input files hold exactly one JSON object per line")
          .default(false)
          .hideHelp(!inputsOf(source).some(({ shape }) => shape.kind === "rows")),
      )
      .option("--email-verified", "mark all e-mail addresses as verified (default: what the source says of each)")
      .option("--no-email-verified", "mark all e-mail addresses as unverified")
      .optionsGroup("Output:")
      .option("--output <path>", "the import body; - is stdout", "./importBody.json")
      .addOption(timeoutOption("maximum duration of the import call, put verbatim into the body").default("5m0s"))
      .option("--rejects <dir>", "where rejected rows go, ready to be fixed (default: <output>.rejects/)")
      .option("--strict", "write no body if any row is rejected", false)
      .addOption(
        new Option("--target-verifiers <names>", `hashes the target can check, of ${verifiers.join(", ")}`)
          .argParser(parseVerifiers)
          .default(DEFAULT_VERIFIERS, "bcrypt"),
      )
      .addOption(
        new Option("--unverifiable <what>", "what becomes of users with any other hash: reject them, or drop the hash")
          .choices(["reject", "drop"] as const)
          .default("reject" as const),
      )
      .addOption(
        new Option(
          "--same-email <which>",
          "of users with one address, write the first, the one with a password, that one linked with the others' accounts, or none",
        )
          .choices(["first", "password", "link", "reject"] as const)
          // Where users bring their passwords along, telling them apart takes one reading more: only on request.
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
          "for more users than fit into so much memory: their tables go to encrypted temporary files, in parts; at least 192MiB",
        ).argParser(parseMemory),
      )
      .option("--split <users>", "write <output stem>-0001.json, … of at most that many users each", parseCount),
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
    ["with the files that it finds here", line],
    ["from another file, into bodies of 5,000 users", `${line} --${input?.flag} ${input?.defaultPath} --split 5000`],
    ["straight into an instance", `${line} --output - --rejects rejected | orgferry import - --rejects failed`],
  ];
}

/** A file without a flag must not be passed over: the default file would be migrated in its place. */
function refuseArguments(command: CommandUnknownOpts, flag: string): void {
  command.hook("preAction", () => {
    const [first] = command.args;
    if (first !== undefined)
      command.error(`error: '${first}' belongs to no flag: input files are named by flags, such as --${flag} ${first}`);
  });
}

/** A flag that is misspelt is told first, and not that the one it should have been is missing. */
function askForMandatoryLast(command: CommandUnknownOpts): void {
  const mandatory = command.options.filter(({ mandatory }) => mandatory);
  for (const option of mandatory) option.makeOptionMandatory(false);
  command.hook("preAction", () => {
    for (const option of mandatory) {
      if (command.getOptionValue(option.attributeName()) === undefined)
        command.error(`error: required option '${option.flags}' not specified`);
    }
  });
}

/** The flags of `migrate <source_provider>`, as the command line hands them over. */
export type MigrateOptions = ReturnType<ReturnType<typeof declareSource>["opts"]> & {
  /** The provider's input files that were named, by flag. */
  readonly files: Readonly<Record<string, string | undefined>>;
  /** What was given of the provider's own options, by their names. */
  readonly given: Readonly<Record<string, readonly string[]>>;
};

/** A flag of a provider may be given several times; a switch has no text. */
function addGiven(text: string | undefined, before: readonly string[] = []): readonly string[] {
  return [...before, text ?? ""];
}

/** What was given of a provider's files and options: its flags are data, so commander's types do not know them. */
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
