import { counted } from "../../problem/format.ts";
import type { FetchCall } from "./fetch-call.ts";
import { retried } from "./fetch-call.ts";
import type { MembershipFile, Row } from "./membership-file.ts";

/** Which lists are wanted. */
export interface WantedLists {
  readonly organizations: boolean;
  readonly roles: boolean;
}

/**
 * Fetches who is a member of which organization, and who has which role: in the tenant, and with organizations also in an organization.
 * One list after the other; what is complete is kept in the file, and the next run continues with the rest. Raises auth.*, api.*, net.*.
 */
export async function fetchMemberships(call: FetchCall, file: MembershipFile, wanted: WantedLists): Promise<void> {
  const { api, context, ui } = call;
  const { signal } = context;
  const progress = ui.progress("organizations and roles");
  let lists = 0;
  progress.update(() => `${counted(lists, "list")}, ${counted(file.rows, "row")}`);
  const add = async (id: string, read: () => Promise<readonly Row[]>): Promise<void> => {
    if (!file.has(id)) await file.add(id, await retried(call, read));
    lists += 1;
  };
  try {
    const organizations = wanted.organizations ? await retried(call, () => api.organizations(signal)) : [];
    for (const { id, name } of organizations) {
      await add(id, async () =>
        (await api.members(id, signal)).flatMap(({ user_id: user, roles }): readonly Row[] => [
          ["org", user, name],
          ...(wanted.roles ? (roles ?? []) : []).map((role): Row => ["role", user, role.name]),
        ]),
      );
    }
    const roles = wanted.roles ? await retried(call, () => api.roles(signal)) : [];
    for (const { id, name } of roles) {
      await add(id, async () =>
        (await api.roleUsers(id, signal)).map(({ user_id: user }): Row => ["role", user, name]),
      );
    }
  } catch (error) {
    await file.save();
    throw error;
  } finally {
    progress.stop();
  }
}
