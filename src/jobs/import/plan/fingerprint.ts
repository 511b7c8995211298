import { createHash } from "node:crypto";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import type { Routing } from "../../../core/rules/route.ts";
import type { PlanSettings } from "../settings.ts";

/**
 * The text of each setting that decides the plan, in the order of the fingerprint; the type asks for every one. A text never changes, and
 * a new setting has an empty text for its default: a journal of an earlier version stays valid.
 */
const texts: { readonly [Name in keyof PlanSettings]-?: (settings: PlanSettings) => string } = {
  // Decides the container, which begins the fingerprint.
  from: () => "",
  via: ({ via }) => ` via ${via}`,
  noMail: ({ noMail }) => (noMail ? " without mail" : ""),
  update: ({ update }) => (update === undefined ? "" : " update"),
  orgMap: ({ orgMap }) => (orgMap.size === 0 ? "" : ` map ${digestOf([...orgMap].sort())}`),
  idpMap: ({ idpMap }) => (idpMap.size === 0 ? "" : ` idp ${digestOf([...idpMap].sort())}`),
};

/** Ends the fingerprint if inactive and locked users go through the users API. */
const STATES = " states";

/** The flag of each setting, and what a fingerprint has of it. */
const marks: { readonly [Name in keyof PlanSettings]-?: readonly [flag: string, text: RegExp] } = {
  from: ["--from", /^\S+/],
  via: ["--via", / via \S+/],
  noMail: ["--no-mail", / without mail/],
  update: ["--update", / update/],
  orgMap: ["--org-map", / map \S+/],
  idpMap: ["--idp", / idp \S+/],
};

/** The flags of the settings in which two fingerprints differ. */
export function otherFlags(one: string, other: string): readonly string[] {
  const differing = Object.values(marks).filter(([, text]) => text.exec(one)?.[0] !== text.exec(other)?.[0]);
  return differing.map(([flag]) => flag);
}

const SELECTION = ["--only", "--where", "--limit"] as const;

/** The flags by which two command lines of this program select other users. */
export function otherSelection(one: string, other: string): readonly string[] {
  const valuesIn = (command: string, flag: string): string =>
    [...command.matchAll(new RegExp(` ${flag} ((?:'[^']*'|[^\\s'])+)`, "g"))].map(([, value]) => value).join(" ");
  return SELECTION.filter((flag) => valuesIn(one, flag) !== valuesIn(other, flag));
}

/** Names the plan of a job. `--resume` refuses a journal with another fingerprint. */
export function fingerprintOf(
  { container, closed }: Pick<BodyScan, "container" | "closed">,
  settings: PlanSettings,
  importStates: boolean,
): string {
  const parts = Object.values(texts).map((textOf) => textOf(settings));
  return [container, ...parts, closed === 0 || importStates ? "" : STATES].join("");
}

/** True if the job with this fingerprint sends inactive and locked users to the import endpoint. */
export function isForImportStates(fingerprint: string): boolean {
  return !fingerprint.endsWith(STATES);
}

/** The way of each user in the job with this fingerprint. */
export function routingIn(fingerprint: string): Routing {
  const [, via] = / via (import|users)(?: |$)/.exec(fingerprint) ?? [];
  return {
    via: via === "import" || via === "users" ? via : "auto",
    noMail: marks.noMail[1].test(fingerprint),
    importStates: isForImportStates(fingerprint),
  };
}

/** A value of any size in a few characters. */
function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
