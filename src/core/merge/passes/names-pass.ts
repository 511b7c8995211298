import { firstValues } from "../../rows/row-block.ts";
import { type RowFile, rowAt } from "../../rows/row-file.ts";
import { NestedNames } from "../fast/nested-users.ts";
import type { MergeState } from "../merge-state.ts";
import type { ParsedRowReaders } from "../reading.ts";

/**
 * Finds the user names that several users have, before any user is judged. This is an extra pass over the users. Returns the users for
 * the next pass. Raises input.* problems.
 */
export async function findSharedNames(state: MergeState, users: RowFile): Promise<RowFile> {
  const { job, join } = state;
  const fast = createFast(state);
  let readers: ParsedRowReaders | undefined;
  for await (const block of users.blocks()) {
    // The columns of a table are known from its first rows on.
    readers ??= await job.readers.load(users.columns, firstValues(block));
    const { readUser } = readers;
    let rows = 0;
    fast?.begin(block);
    for (let at = 0; at < block.count; at += 1) {
      if (fast?.take(at, readers) === true) rows += 1;
      else {
        rows += users.parse(rowAt(block, at), (parsed) => {
          const user = "value" in parsed ? readUser(parsed.value).user : undefined;
          if (user !== undefined) join.noteName(user.userName, user.userId);
        });
      }
    }
    users.counted(rows);
  }
  return users.again();
}

/** What reads rows as bytes, if the provider says how. */
function createFast(state: MergeState): NestedNames | undefined {
  const { isCareful, readers, credentials } = state.job;
  const table = isCareful || credentials !== undefined ? undefined : readers.fast?.nestedUsers;
  return table === undefined || readers.ownIdPrefix !== "" ? undefined : new NestedNames(state, table);
}
