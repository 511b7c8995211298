import { type Command, Option } from "@commander-js/extra-typings";
import { addCommonOptions, addPageOptions, addTargetOptions, orgMapOption } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { parseWhole } from "../shared/parse-flags.ts";
import { addPilotOptions } from "../shared/pilot/flags.ts";

/** Declares `invite <file>` and its flags. */
export function declareInvite(program: Command) {
  const named = program
    .command("invite")
    .description("send users without a password an e-mail to set one, in waves")
    .argument("<file>", "import body or export with the users; - is stdin");
  const own = addPilotOptions(addTargetOptions(named))
    .addOption(
      new Option("--by <what>", "the e-mail: a link to set a new password, or the service's invitation (4.x)")
        .choices(["reset", "invitation"] as const)
        .default("reset" as const),
    )
    .addOption(orgMapOption())
    .option("--again", "also users who got such an e-mail before", false)
    .option(
      "--max-mails <n>",
      "send the e-mails without asking if at most this many users get one, else send nothing",
      parseWhole,
    )
    .option("--yes", "do not ask before users get an e-mail", false)
    .option("--dry-run", "count who would get an e-mail, and send nothing", false);
  const examples: Example[] = [
    ["count who needs an e-mail", "orgferry invite importBody.json --dry-run"],
    ["the next 500 users", "orgferry invite importBody.json --limit 500 --yes"],
    ["only one domain", "orgferry invite importBody.json --where email=*@example.com"],
  ];
  return addCommonOptions(addPageOptions(own)).addHelpText("after", helpText(examples, ["target"]));
}

/** The parsed flags of `invite`. */
export type InviteOptions = ReturnType<ReturnType<typeof declareInvite>["opts"]>;
