import { runInvite } from "../../jobs/invite/run-invite.ts";
import type { ExitCode } from "../../problem.ts";
import { markedInputs } from "../../sources/source.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { sendCommand, yesCommand } from "../shared/command-lines.ts";
import { connectTo } from "../shared/connect.ts";
import { openBody } from "../shared/open-body.ts";
import { orgMapFiles, readIdMaps } from "../shared/org-map.ts";
import { pilotFiles } from "../shared/pilot/flags.ts";
import { readPilot, selectFrom } from "../shared/pilot/select.ts";
import { runCommand } from "../shared/run-command.ts";
import type { InviteOptions } from "./declare.ts";

/** `invite <file>`: sends the users of a file who have no password an e-mail to set one. */
export async function invite(
  file: string,
  options: InviteOptions,
  { context, sources, given }: CommandWorld,
): Promise<ExitCode> {
  const paths = {
    inputs: [file, options.tokenFile, ...orgMapFiles(options.orgMap), ...pilotFiles(options)],
    outputs: [],
  };
  return runCommand({ name: "invite", context, options, paths }, async (ui, report, own) => {
    // The limit counts e-mails, not users of the file: the next wave takes the next users.
    report.set({ inputs: [file] });
    const { limit, by, again, dryRun, yes, maxMails } = options;
    const pilot = await readPilot({ ...options, limit: undefined }, context);
    const maps = await readIdMaps(options, context);
    const api = own(await connectTo("target", { ...options, role: "IAM_OWNER" }, context, ui));
    const whole = own(await openBody(file, context, markedInputs(sources)));
    const input = await selectFrom(whole, pilot, { ui, report, context });
    const consent = { yes, yesCommand: yesCommand(["invite", file], given), maxMails };
    const settings = { maps, by, again, limit, dryRun, consent };
    return runInvite({ api, input, settings, send: sendCommand(["invite", file], given), context, ui, report });
  });
}
