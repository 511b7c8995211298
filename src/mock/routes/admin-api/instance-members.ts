import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { valueAt } from "../../http/json.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { accept } from "../shared/accept.ts";
import { pageOf } from "../shared/page.ts";

/** `POST /admin/v1/members/_search`: the users with a role on the instance, which are those of the tokens (service behaviour 0.66). */
export async function searchMembers(call: Call, instance: Instance): Promise<Answer> {
  const { request } = await accept(call, instance, {
    message: "zitadel.admin.v1.ListIAMMembersRequest",
    permission: "iam.read",
  });
  const roles = new Map([...instance.grants.values()].map((grant) => [grant.userId, grant.roles]));
  const members = [...roles].filter(([, own]) => own.length > 0).map(([userId, own]) => ({ userId, roles: [...own] }));
  const { total, entries } = pageOf(members, valueAt(request, "query"));
  return jsonAnswer({ details: total, ...(entries.length === 0 ? {} : { result: [...entries] }) });
}
