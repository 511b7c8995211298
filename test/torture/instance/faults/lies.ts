import { disguises } from "../../input/secrets.ts";
import type { Random } from "../../random.ts";
import { type Fields, fields, list, text } from "../json.ts";
import { type Fault, family, type Turn } from "./fault.ts";

type Entry = { type: string; id: string; message: string };
interface Result {
  readonly errors: Entry[];
  readonly success: { readonly orgs: Record<string, unknown>[] };
}

/** A copy of the true result, told otherwise. */
function told(change: (result: Result, turn: Turn) => unknown) {
  return (turn: Turn): void => {
    // The service omits empty lists.
    const given = structuredClone(turn.answer.body) as { errors?: Entry[]; success?: Partial<Result["success"]> };
    const result: Result = { errors: given.errors ?? [], success: { orgs: given.success?.orgs ?? [] } };
    turn.say(turn.answer.status === 200 ? { status: 200, body: change(result, turn) ?? result } : turn.answer);
  };
}

/** The lists of ids of an answer. */
function idLists({ success }: Result): string[][] {
  return success.orgs.flatMap((org) =>
    Object.values(org).filter((value): value is string[] => Array.isArray(value) && typeof value[0] === "string"),
  );
}

const anyId = (result: Result, random: Random): string => random.pick([...idLists(result).flat(), "nobody"]);
const error = (id: string, type = "human_user"): Entry => ({ type, id, message: "ID=X-1 Message=Errors.Made.Up" });

/** Imports that did one thing and say another. */
const imports = family({ on: ["import"], work: "all", isLie: true }, [
  {
    name: "ids are missing",
    act: told((result, { random }) => {
      for (const ids of idLists(result)) ids.splice(0, ids.length, ...random.some(ids, 0.5));
    }),
  },
  { name: "nothing of success", act: told(({ errors }) => ({ errors })) },
  { name: "nothing of errors", act: told(({ success }) => ({ success })) },
  { name: "success for users who were not sent", act: told((result) => void idLists(result)[0]?.push("stranger")) },
  { name: "each id twice", act: told((result) => void idLists(result).map((ids) => ids.push(...ids))) },
  {
    name: "error and success for one id",
    act: told((result, { random }) => void result.errors.push(error(anyId(result, random)))),
  },
  {
    name: "two errors for one id",
    act: told((result, { random }) => {
      const id = anyId(result, random);
      result.errors.push(error(id), { ...error(id), message: "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting" });
    }),
  },
  { name: "an error without an id", act: told((result) => void result.errors.push(error(""))) },
  {
    name: "an error without a type",
    act: told((result, { random }) => void result.errors.push(error(anyId(result, random), ""))),
  },
  {
    name: "types of other names",
    act: told((result) => void result.errors.map((entry) => Object.assign(entry, { type: `x_${entry.type}` }))),
  },
  { name: "__proto__", act: told((result) => void result.errors.push(error("__proto__", "constructor"))) },
  {
    name: "another organization",
    act: told((result) => void result.success.orgs.map((org) => Object.assign(org, { orgId: "999" }))),
  },
  { name: "organizations twice", act: told((result) => void result.success.orgs.push(...result.success.orgs)) },
  {
    name: "ids in capitals",
    act: told((result) => ({
      ...result,
      success: JSON.parse(JSON.stringify(result.success).toUpperCase().replaceAll("ORGS", "orgs")) as unknown,
    })),
  },
  {
    name: "every error says that the user exists",
    act: told(
      (result) =>
        void result.errors.map((entry) =>
          Object.assign(entry, { message: "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting" }),
        ),
    ),
  },
  {
    name: "thousands of errors",
    act: told((result) => void result.errors.push(...Array.from({ length: 12_000 }, (_, at) => error(`e${at}`)))),
  },
]);

/** Says that everything was made, and makes nothing: only a look at the target (--verify) can tell. */
const empty: Fault = {
  name: "success without the work",
  on: ["import"],
  work: "none",
  isLie: true,
  act: (turn) => {
    const body = fields(JSON.parse(turn.asked.body.toString()));
    const orgs = Object.values(body).flatMap((value) => list(value, "orgs"));
    const success = orgs.map((org) => ({
      orgId: text(org, "orgId"),
      humanUserIds: list(org, "humanUsers").map((user) => text(user, "userId")),
    }));
    turn.say({ status: 200, body: { success: { orgs: success } } });
  },
};

/** Secrets of the request come back, in every place and form. */
const echoes: readonly Fault[] = [
  {
    name: "secrets in a message",
    on: ["import"],
    work: "all",
    isLie: true,
    act: told((result, { random, secrets }) => {
      for (const secret of secrets) result.errors.push({ ...error("x"), message: random.pick(disguises)(secret) });
    }),
  },
  {
    name: "secrets in ids and types",
    on: ["import"],
    work: "all",
    isLie: true,
    act: told((result, { random, secrets }) => {
      for (const secret of secrets)
        result.errors.push({
          type: random.pick(disguises)(secret),
          id: random.pick(disguises)(secret),
          message: "ID=A-b Message=c",
        });
    }),
  },
  {
    name: "secrets in a refusal",
    work: "none",
    endsRun: true,
    act: ({ say, random, secrets }) =>
      say({
        status: random.pick([400, 401, 403, 500, 418]),
        body: { code: 3, message: `invalid ${secrets.map((secret) => random.pick(disguises)(secret)).join(" ")}` },
      }),
  },
  {
    name: "secrets in a page",
    work: "none",
    endsRun: true,
    act: ({ socket, random, secrets }) => {
      const words = `<html>${secrets.map((secret) => random.pick(disguises)(secret)).join("<br>")}`;
      socket.end(
        `HTTP/1.1 ${random.pick([400, 500, 502])} ${random.pick(secrets).replace(/[^\x21-\x7e]/g, "")}\r\n\r\n${words}`,
      );
    },
  },
  {
    name: "a secret in a redirect",
    work: "none",
    endsRun: true,
    act: ({ say, random, secrets }) =>
      say({ status: 302, body: {} }, { location: `https://x/${encodeURIComponent(random.pick(secrets))}` }),
  },
];

/** Lies about events and organizations. */
const page = (turn: Turn, key: string, change: (all: Fields[]) => unknown): void => {
  const all = list(turn.answer.body, key).map((one) => structuredClone(one) as Fields);
  turn.say({ status: 200, body: { [key]: change(all) } });
};
const events = family({ on: ["events"], work: "all", isLie: true }, [
  {
    name: "the first page again",
    act: (turn: Turn) => turn.say({ status: 200, body: turn.earlier[0] ?? turn.answer.body }),
  },
  { name: "no events", act: (turn: Turn) => page(turn, "events", () => []) },
  { name: "always a full page", act: (turn: Turn) => page(turn, "events", () => fullPage()) },
  {
    name: "events of one instant",
    act: (turn: Turn) =>
      page(turn, "events", (all) => all.map((one) => ({ ...one, creationDate: "2026-03-01T08:00:00Z" }))),
  },
  {
    name: "events without a date",
    act: (turn: Turn) => page(turn, "events", (all) => all.map((one) => ({ ...one, creationDate: "" }))),
  },
  { name: "events in another order", act: (turn: Turn) => page(turn, "events", (all) => all.reverse()) },
  {
    name: "events of other types",
    act: (turn: Turn) => page(turn, "events", (all) => all.map((one) => ({ ...one, type: { type: "user.removed" } }))),
  },
  {
    name: "half of the events",
    act: (turn: Turn) => page(turn, "events", (all) => all.filter((_, at) => at % 2 === 0)),
  },
  { name: "events with nothing in them", act: (turn: Turn) => page(turn, "events", (all) => all.map(() => ({}))) },
  { name: "numbers for events", act: (turn: Turn) => page(turn, "events", () => [1, null, "x"]) },
]);
const orgs = family({ on: ["orgs"], work: "all", isLie: true }, [
  {
    name: "always the same organizations",
    act: (turn: Turn) =>
      page(turn, "result", () => Array.from({ length: 1_000 }, () => ({ id: "7", name: "x", state: "" }))),
  },
  {
    name: "organizations of others",
    act: (turn: Turn) => page(turn, "result", (all) => all.map((one, at) => ({ ...one, id: `9${at}` }))),
  },
  { name: "no organizations", act: (turn: Turn) => page(turn, "result", () => []) },
]);

function fullPage(): unknown[] {
  return Array.from({ length: 1_000 }, (_, at) => ({
    aggregate: { id: `loop${at}`, resourceOwner: "1" },
    sequence: String(at),
    creationDate: "2026-03-01T08:00:00Z",
    type: { type: "user.human.added" },
  }));
}

export const lies: readonly Fault[] = [...imports, empty, ...echoes, ...events, ...orgs];
