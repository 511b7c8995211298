import { counted, firstOf, shown } from "../../problem/format.ts";
import type { AnyReport } from "../report.ts";

type Inactive = NonNullable<AnyReport["inactive"]>;

/** What is done with an export that has deactivated objects. */
type Goal = "export" | "copy" | "copy --update";

const SHOWN_OBJECTS = 10;
const NOUNS = { user_grant: "role grant", project: "project", application: "application" } as const;

/** Printed if the source does not offer its events. */
export const INACTIVE_UNKNOWN_LINE =
  "it is unknown which role grants, projects and applications are deactivated at the source: an import makes them active.";

/** Printed, also with --quiet, for objects that an export shows as active. */
export function inactiveLine(inactive: Inactive, goal: Goal): string {
  return `${inactiveWords(inactive)}: ${firstOf(inactive.map(inactiveName), SHOWN_OBJECTS)}. ${whatFollows(inactive, goal)}`;
}

/** The same of a report, without the names. */
export function inactiveOf(report: Pick<AnyReport, "inactive" | "export" | "command" | "update">) {
  const inactive = report.inactive ?? report.export?.inactive ?? [];
  const goal = report.command === "export" ? "export" : report.update === undefined ? "copy" : "copy --update";
  const words = `${inactiveWords(inactive)}. ${whatFollows(inactive, goal)}`;
  return { words, objects: inactive.map(inactiveName), all: inactive.length };
}

function inactiveWords(inactive: Inactive): string {
  const parts = Object.entries(NOUNS).flatMap(([type, noun]) => {
    const found = inactive.filter((one) => one.type === type).length;
    return found === 0 ? [] : [counted(found, noun)];
  });
  return `${parts.join(", ")} ${inactive.length === 1 ? "is" : "are"} deactivated at the source, and an export does not say so`;
}

function whatFollows(inactive: Inactive, goal: Goal): string {
  if (goal === "export") return "An import of the export makes them active.";
  const hasGrants = inactive.some(({ type }) => type === "user_grant");
  const hasOthers = inactive.some(({ type }) => type !== "user_grant");
  return [
    ...(hasGrants ? ["Role grants are not given on the target."] : []),
    ...(hasGrants && goal === "copy --update" ? ["The target may have one of them active: deactivate it there."] : []),
    ...(hasOthers ? ["Projects and applications become active on the target: deactivate them there by hand."] : []),
  ].join(" ");
}

function inactiveName({ type, id, userId, projectId }: Inactive[number]): string {
  const inProject = projectId === undefined ? "" : ` in project ${shown(projectId)}`;
  const name = type === "user_grant" ? ` of user ${shown(userId ?? "")}` : ` ${shown(id)}`;
  return `${NOUNS[type]}${name}${inProject}`;
}
