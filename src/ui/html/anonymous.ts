import type { AnyReport, ComparedThing, DifferentThing, ListedProblem } from "../report.ts";

/**
 * A report with nothing in it that belongs to a person: no ids, no words of the service (which may repeat names and addresses), no
 * paths. Lines of the input stay, so that the owner of the file can find the user, and the hosts of the instances.
 */
export function withoutPersonalData(report: AnyReport): AnyReport {
  const {
    rejects: _rejects,
    resume: _resume,
    output: _output,
    unknown: _unknown,
    unexpected: _other,
    ...kept
  } = report;
  const { missing } = report;
  return {
    ...kept,
    problems: report.problems.map(anonymousProblem),
    outputs: report.outputs?.map(({ users, bytes, sha256 }) => ({ path: "", users, bytes, sha256 })),
    failures: report.failures?.map(({ type, cause, line }) => ({ type, id: "", message: "", cause, line })),
    missing: typeof missing === "object" ? missing.map(anonymousPlace) : missing,
    different: report.different?.map(anonymousThing),
    kept: report.kept?.map(({ reason, line }) => ({ id: "", reason, line })),
    changedSince: report.changedSince?.map(anonymousThing),
    update: {
      conflict: report.update?.conflict?.map(({ fields, reason }) => ({
        userId: "",
        fields: fields.map(withoutKey),
        reason,
      })),
    },
  };
}

/** The name of a column may contain anything. */
function anonymousProblem({ code, line, field }: ListedProblem): ListedProblem {
  return { code, message: "", line, field: field !== undefined && PLAIN_NAME.test(field) ? field : undefined };
}

/** A key of metadata may contain anything. */
function withoutKey(field: string): string {
  return field.replace(/^metadata\..*$/s, "metadata");
}

const PLAIN_NAME = /^[\w.[\]]{1,60}$/;

function anonymousPlace({ type, line }: ComparedThing): ComparedThing {
  return { type, id: "", line };
}

function anonymousThing({ fields, ...place }: DifferentThing): DifferentThing {
  return { ...anonymousPlace(place), fields };
}
