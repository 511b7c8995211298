import { unmetWords } from "../mapped/options.ts";
import { Granter } from "../shared/grants.ts";
import type { Source } from "../source.ts";
import { options } from "./options.ts";
import { lists } from "./presets.ts";

/** In a file without line breaks, of a user with a name, an address and some dates. */
const USER_BYTES = 500;

/** Any JSON with users: rows, or documents with a list of them. */
export const json: Source<typeof options> = {
  id: "json",
  title: "JSON",
  users: {
    flag: "users",
    shape: { kind: "found", lists },
    folder: { files: /\.(nd)?json(\.gz)?$/, names: "*.json, *.ndjson" },
    defaultPath: "./users.json",
    description: "users as NDJSON, an array, or a list in a document; a folder of such files; gzip or not; - is stdin",
  },
  options,
  carriedBy: { "": "--map metadata.<key>=<path>" },
  namesOrgs: true,
  createRows(settings, now) {
    const isMapped = Object.keys(settings.mapping.fields).length > 0;
    let { preset } = settings;
    const granter = new Granter(settings);
    // The names of the fields in problems, until the paths are known.
    const fieldNames = { userId: "userId", userName: "userName", hash: "hash" };
    return {
      list: settings.list,
      async recognize(found) {
        const { recognizeRows, refuseDocument, refuseOtherRows } = await import("./recognize.ts");
        if (isMapped) refuseDocument(settings.mapping, found);
        else if (preset === undefined) preset = recognizeRows(found);
        else refuseOtherRows(preset, found);
      },
      async load() {
        const { createReadUser } = await import("./read-user.ts");
        const { readUser, use, names } = createReadUser(settings, preset, granter, now);
        Object.assign(fieldNames, names);
        return { readUser, columns: use };
      },
      ownIdPrefix: "",
      userBytes: USER_BYTES,
      fieldNames,
      projects: granter.projects,
      unmet: () => ({ "--grant": granter.unmet, "--idp": settings.idp.unasked, "--value": unmetWords(settings.words) }),
      targetIds: { "--grant": granter.foreignProjects, "--idp": [...settings.idp.values()] },
      ...(settings.plainPasswords ? { plainPasswords: { bcryptCost: settings.bcryptCost } } : {}),
    };
  },
};
