import type { Item } from "../../core/document/items.ts";
import { NEVER } from "../../core/events/instance-log.ts";
import { fieldsOf, textMember } from "../../core/json/members.ts";
import { JobState } from "../../core/transfer/job-state.ts";
import { idWithName, LISTED, shown } from "../../problem/format.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import {
  type Foreseen,
  foreignLine,
  foreseenFailures,
  foreseenIds,
  foreseenLines,
  renamesLine,
  UNFORESEEN_LINE,
} from "../../ui/summary/foreseen.ts";
import { dryRunLine, hasNothing, NOTHING_LINE, refusableHashes, refusesUsers } from "../../ui/summary/import-plan.ts";
import { leftAloneLine } from "../../ui/summary/import-summary.ts";
import { idsToName } from "../../ui/summary/update-plan.ts";
import { sayNext } from "../../ui/terminal/next-steps.ts";
import { type Asking, askingOf } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";
import { withProgress } from "../shared/with-progress.ts";
import type { ComparedObjects } from "../verify/by-export.ts";
import type { ImportRun } from "./import-run.ts";
import { Ledger } from "./ledger.ts";
import { tellOtherRoles } from "./outcome/existing-grants.ts";
import { tellGrantsAgain, tellLeft } from "./outcome/left-objects.ts";
import { readLoginNames } from "./outcome/login-names.ts";
import { findNameHolders } from "./outcome/name-holders.ts";
import { leavesSome, numbersBefore, reportUpdates, sortUpdates } from "./outcome/report.ts";
import { findBuiltIn } from "./plan/built-in.ts";
import { reportOrgs } from "./plan/check-orgs.ts";
import { type FailingGrants, findFailingGrants, NO_GRANT_FAILS } from "./plan/failing-grants.ts";
import { findForeign } from "./plan/foreign-objects.ts";
import { fails, foresee, readLinks, reportComingBack } from "./plan/foresee.ts";
import type { Plan } from "./plan/plan.ts";
import { probeRights } from "./plan/probe.ts";
import { RemovedObjects } from "./plan/removed-objects.ts";
import { type FailingIdps, NO_IDP_FAILS, reportIdps } from "./plan/report-idps.ts";
import { readTargetState } from "./plan/target-state.ts";
import { Owners } from "./provenance/owners.ts";
import { PartsForecast } from "./provenance/parts-forecast.ts";
import { refuseWithoutEvents } from "./ready.ts";
import { flagForJournal } from "./start-job.ts";
import type { UpdateWay } from "./update/open-update.ts";
import { compareOthers, isLeftThere, tellDifferences, tellMissing } from "./update/other-objects.ts";
import { askForMessages, foreseenUpdate, messagesWithout, planUpdate, type UpdatePlan } from "./update/update-users.ts";

/** Finds out what the run would do, and reports it; nothing is changed. Returns 1 if the run itself would end with 1. */
export async function dryRun(run: ImportRun, plan: Plan, update?: UpdateWay): Promise<ExitCode> {
  const { ui, report, settings } = run;
  const { counts } = plan.scan;
  const asking = askingOf(run);
  await probeRights(asking);
  const planned = update === undefined ? undefined : await planUpdate(run, plan, update, NEVER);
  const compared = planned === undefined ? undefined : await compareOthers(run, plan);
  const found = await foreseeIfOffered(run, asking, plan, planned, compared);
  const { idps, notCreated, renames, foreign, grants, forecast } = found;
  const foreseen = found.foreseen && {
    ...(await withHolders(found.foreseen, plan, asking)),
    ...grantsFound(grants),
    ...linksFound(found.foreseen, forecast),
    ...failingOfUsers(forecast),
  };
  const named = await readLoginNames(run, plan, new Set(foreseenIds(foreseen)));
  for (const line of foreseen === undefined ? [UNFORESEEN_LINE] : foreseenLines(foreseen, named)) ui.say(line);
  report.set({ users: numbersBefore(counts), dryRun: true });
  if (foreseen !== undefined)
    report.set({
      foreseen: {
        ...foreseen,
        missingIdps: idps.missing.slice(0, LISTED),
        foreignObjects: foreign,
        closedIdps: idps.closed.slice(0, LISTED),
      },
    });
  const isLeft =
    planned !== undefined && (await reportPlanned(run, plan, planned, { notCreated, renames, forecast }, compared));
  if (planned === undefined) {
    if (foreseen !== undefined) await tellOtherRoles(run, plan);
    await tellParts(run, plan, forecast);
  }
  const fails =
    isLeft ||
    idps.missing.length +
      idps.closed.length +
      foreign +
      grants.indexes.size +
      (forecast?.linkTaken.count ?? 0) +
      (forecast?.userMissing.count ?? 0) +
      (forecast?.otherPerson.count ?? 0) >
      0 ||
    (plan.refused !== undefined && refusesUsers(plan.refused, plan.version)) ||
    counts.invalidUsers > 0 ||
    (foreseen !== undefined && foreseesFailure(foreseen, settings.failOn.existing));
  const { hashes, breaches } = plan.scan;
  const isNothing = !fails && hasNothing(plan.scan);
  const refusable = plan.refused === undefined ? refusableHashes(hashes, breaches, plan.version) : 0;
  const end = isNothing ? NOTHING_LINE : dryRunLine(fails, refusable);
  ui.say(end);
  report.why(end);
  const { send } = run.files.next;
  if (!fails && !isNothing && send !== undefined) {
    const flag = flagForJournal(run, plan);
    const why = flag === "--resume" ? "To continue the unfinished import" : "To do it";
    sayNext(ui, [{ why, command: flag === undefined ? send : `${send} ${flag}` }]);
  }
  return fails ? exitCodes.partial : exitCodes.done;
}

/** The role grants and project grants that will fail; nothing if there are none. */
function grantsFound({ roleMissing, projectMissing, projectGrants }: FailingGrants): Partial<Foreseen> {
  const byCause = Object.entries(projectGrants).filter(([, { count }]) => count > 0);
  return {
    ...(roleMissing.count + projectMissing.count === 0
      ? {}
      : {
          grants: { roleMissing: roleMissing.count, projectMissing: projectMissing.count },
          roleMissing: roleMissing.list,
          projectMissing: projectMissing.list,
        }),
    ...(byCause.length === 0
      ? {}
      : {
          failingProjectGrants: byCause.flatMap(([, { list }]) => list).slice(0, LISTED),
          failingProjectGrantCauses: Object.fromEntries(byCause.map(([cause, { count }]) => [cause, count])),
        }),
  };
}

/** The links that will fail because other users have their accounts: of users who will not be created, and of existing ones. */
function linksFound(
  { linkTaken = [] }: Foreseen,
  forecast: PartsForecast | undefined,
): Pick<Foreseen, "linkTaken"> | undefined {
  const all = [...linkTaken, ...(forecast?.linkTaken.list ?? [])].slice(0, LISTED);
  return all.length === 0 ? undefined : { linkTaken: all };
}

/** What will fail because of its user. */
function failingOfUsers(
  forecast: PartsForecast | undefined,
): Pick<Foreseen, "userMissing" | "userMissingCount" | "otherPerson" | "otherPersonCount"> {
  const { userMissing, otherPerson } = forecast ?? {};
  return {
    ...(userMissing === undefined || userMissing.count === 0
      ? {}
      : { userMissingCount: userMissing.count, userMissing: userMissing.list }),
    ...(otherPerson === undefined || otherPerson.count === 0
      ? {}
      : { otherPersonCount: otherPerson.count, otherPerson: otherPerson.list }),
  };
}

/** Says and reports which objects besides users will be created, and what of users is not sent. */
async function tellParts(
  run: ImportRun,
  plan: Plan,
  forecast: PartsForecast | undefined,
  compared?: ComparedObjects,
): Promise<void> {
  const missing = new Map(compared?.missing);
  if (forecast !== undefined) {
    const { links, notMade, heldBack, grantsAgain } = forecast;
    const { missing: lacking = new Map(), isThere = () => false } = compared ?? {};
    if (compared === undefined) await forecast.lookAtParts();
    await forecast.lookAtOthers(lacking, isThere);
    for (const [section, objects] of notMade) missing.set(section, (missing.get(section) ?? 0) - objects);
    missing.set("userLinks", links.toExisting + (compared === undefined ? 0 : links.toNew));
    if (heldBack.found !== undefined) await tellLeft(run, plan, heldBack.found, compared !== undefined);
    await tellGrantsAgain(run, plan, grantsAgain, false);
  }
  tellMissing(missing, run);
}

/** With who has the names of the first users whose names are taken. */
async function withHolders(foreseen: Foreseen, plan: Plan, asking: Asking): Promise<Foreseen> {
  const { holders } = await findNameHolders(plan, foreseen.nameTaken ?? [], asking);
  return holders.size === 0 ? foreseen : { ...foreseen, nameHolders: Object.fromEntries(holders) };
}

/** Reports what would be done with existing users; true if something would be left undone. */
async function reportPlanned(
  run: ImportRun,
  plan: Plan,
  update: UpdatePlan,
  { notCreated, renames, forecast }: Pick<Found, "notCreated" | "renames" | "forecast">,
  compared: ComparedObjects | undefined,
): Promise<boolean> {
  const { create } = update.foreseen;
  create.splice(0, create.length, ...create.filter((_, at) => !notCreated.has(update.places.create[at] ?? -1)));
  sortUpdates(update.foreseen);
  const names = await readLoginNames(run, plan, new Set(idsToName(update.foreseen)));
  reportUpdates(update.foreseen, run, { isDone: false, names });
  if (compared !== undefined) await tellDifferences(compared, run, plan);
  await tellParts(run, plan, forecast, compared);
  const messages = await messagesWithout(notCreated, update, run.settings.plan.noMail);
  await askForMessages({ messages }, run);
  const clashes = update.foreseen.update.filter((one) => one.fields.includes("userName") && renames.has(one.userId));
  if (clashes.length > 0) run.ui.warn(renamesLine(clashes.map(({ userId }) => idWithName(userId, names.get(userId)))));
  return clashes.length > 0 || leavesSome(update.foreseen, update.planning.settings.prefer);
}

/** What a look at the target has found. */
interface Found {
  readonly foreseen: Foreseen | undefined;
  readonly idps: FailingIdps;
  /** Indexes of users who are not created: the target has its own, or they would fail. */
  readonly notCreated: ReadonlySet<number>;
  /** Ids of existing users with a user name that another user has. */
  readonly renames: ReadonlySet<string>;
  /** How many objects fail because their ids belong to other organizations. */
  readonly foreign: number;
  readonly grants: FailingGrants;
  readonly forecast?: PartsForecast | undefined;
}

const NOTHING_FOUND: Found = {
  foreseen: undefined,
  idps: NO_IDP_FAILS,
  notCreated: new Set(),
  renames: new Set(),
  foreign: 0,
  grants: NO_GRANT_FAILS,
};

async function foreseeIfOffered(
  run: ImportRun,
  asking: ReturnType<typeof askingOf>,
  plan: Plan,
  planned: UpdatePlan | undefined,
  compared: ComparedObjects | undefined,
): Promise<Found> {
  return withProgress(asking.ui, "checking the target", async (progress) => {
    const target = await readTargetState(plan.scan, asking);
    if (target === undefined) {
      refuseWithoutEvents(run, plan);
      return NOTHING_FOUND;
    }
    reportOrgs(run, plan, target);
    const idps = await reportIdps(run, plan, target, asking);
    if (planned === undefined) await reportComingBack(plan, target, asking);
    const builtIn = await findBuiltIn(target, plan, asking.signal);
    if (builtIn.size > 0) asking.ui.say(leftAloneLine(builtIn.size));
    const foreignObjects = await findForeign(target, plan, asking);
    const objects = [...foreignObjects.values()];
    const foreign = objects.length;
    const ids = objects.flatMap(({ id, message }) => (id === "" ? [] : `${shown(id)} (${message})`));
    if (foreign > 0) asking.ui.warn(foreignLine(foreign, [...new Set(ids)]));
    const isSettled = ({ index }: Item): boolean => builtIn.has(index) || foreignObjects.has(index);
    const removals = new RemovedObjects(asking, plan, []);
    const isRemoved = (item: Item): Promise<boolean> => removals.has(item);
    const ledger = new Ledger(new JobState(), plan.parts, { failOnExisting: false, onFailures() {} });
    const owners = await Owners.open({ asking, source: run.source, ui: run.ui, plan, ledger });
    const links = await readLinks(plan, target, asking);
    const update = planned && foreseenUpdate(planned);
    const seen = await ifOffered(() => foresee(target, plan, { builtIn, update, links, owners }, asking, progress));
    const isUnsent = async (item: Item): Promise<boolean> =>
      isSettled(item) ||
      (compared !== undefined && isLeftThere(item, plan, compared)) ||
      (await isRemoved(item)) ||
      (await owners?.changesOfOthers([item]))?.has(item) === true;
    const removedRoles = (item: Item) => removals.removedRoles(item);
    const foreseenOrgs = seen?.foreseen.orgs ?? [];
    const known = { isUnsent, isRemoved, removedRoles, foreseenOrgs };
    const grants = await findFailingGrants(target, plan, known, asking);
    const lacksIdp = new Set([...idps.missing, ...idps.closed].map(({ idpId }) => idpId));
    const forecast = new PartsForecast({
      ...{ plan, owners, links, removals, signal: asking.signal },
      isSettled: (item) =>
        isSettled(item) ||
        grants.indexes.has(item.index) ||
        grants.existing.has(item.index) ||
        (item.key === "userLinks" && lacksIdp.has(textMember(fieldsOf(JSON.parse(item.bytes.toString())), "idpId"))),
    });
    if (seen !== undefined) {
      await forecast.lookForRemoved();
      await forecast.lookForUsers();
      await forecast.lookAtLinks();
    }
    const notCreated = new Set([...builtIn, ...(seen?.failing ?? [])]);
    const renames = seen?.renames ?? new Set();
    const found = { foreseen: seen?.foreseen, idps, notCreated, renames, foreign, grants };
    return seen === undefined ? found : { ...found, forecast };
  });
}

function foreseesFailure({ orgs, users }: Foreseen, failOnExisting: boolean): boolean {
  if (foreseenFailures(users) > 0) return true;
  if (failOnExisting && users.alreadyThere > 0) return true;
  return orgs.some(({ state }) => fails(state));
}
