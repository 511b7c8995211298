import { unmetWords } from "../mapped/options.ts";
import { Granter } from "../shared/grants.ts";
import type { Source } from "../source.ts";
import { options } from "./options.ts";

/** Of a table with names, an address and a hash. */
const USER_BYTES = 180;

/** Any table with a row of names, or one whose columns a preset knows by their place. */
export const csv: Source<typeof options> = {
  id: "csv",
  title: "CSV",
  users: {
    flag: "users",
    shape: { kind: "table" },
    defaultPath: "./users.csv",
    description: "table of users with a first row of names; comma, semicolon, tab or |, gzip or not; - is stdin",
  },
  options,
  carriedBy: { "": "--map metadata.<key>=<column>" },
  namesOrgs: true,
  createRows: (settings, now) => {
    // The names of the fields in problems, until the columns of the table are known.
    const fieldNames = { userId: "userId", userName: "userName", hash: "hash" };
    const { table } = settings.preset ?? {};
    const granter = new Granter(settings);
    return {
      async load(columns = [], rows = []) {
        const [{ createPlan }, { TableCells }, { createReader }] = await Promise.all([
          import("./plan.ts"),
          import("./cells.ts"),
          import("../mapped/read-user.ts"),
        ]);
        const { plan, hasApostrophes, links, unread, use } = createPlan(columns, settings, rows as string[][], now); // RowFile.columns
        const nameOf = (field: keyof typeof fieldNames): string => plan.cells[field][0]?.column ?? field;
        Object.assign(fieldNames, { userId: nameOf("userId"), userName: nameOf("userName"), hash: nameOf("hash") });
        const cells = new TableCells(hasApostrophes, links, unread);
        return { readUser: createReader(plan, cells, settings, granter, now), columns: use };
      },
      ownIdPrefix: "",
      userBytes: USER_BYTES,
      fieldNames,
      projects: granter.projects,
      unmet: () => ({ "--grant": granter.unmet, "--idp": settings.idp.unasked, "--value": unmetWords(settings.words) }),
      targetIds: { "--grant": granter.foreignProjects, "--idp": [...settings.idp.values()] },
      table,
      ...(settings.plainPasswords ? { plainPasswords: { bcryptCost: settings.bcryptCost } } : {}),
    };
  },
};
