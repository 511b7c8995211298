import { isObject, type JsonObject, type JsonValue, listAt, textAt, valueAt } from "../protojson/json-value.ts";
import { type MessageTable, messageNamed } from "../protojson/message-table.ts";

/**
 * An organization as the first major version exported it, in the shape of today (service behaviour 1.3, 2.11): iamPolicy becomes
 * domainPolicy, flow and trigger become number texts, the second and multi factors and identity providers listed beside the
 * login policy go into it. What v1 does not know (domainPolicy, orgState, OTP texts) was lost when the request was decoded.
 */
export function fromV1(org: JsonObject, table: MessageTable): JsonObject {
  const { iamPolicy, secondFactors: _second, multiFactors: _multi, idps: _idps, triggerActions, ...rest } = org;
  const login = loginPolicyOf(org);
  return {
    ...rest,
    ...(isObject(iamPolicy) ? { domainPolicy: iamPolicy } : {}),
    ...(login === undefined ? {} : { loginPolicy: login }),
    ...(triggerActions === undefined ? {} : { triggerActions: triggersOf(org, table) }),
  };
}

/** Without a login policy there is nothing the factors could belong to. */
function loginPolicyOf(org: JsonObject): JsonObject | undefined {
  const policy = valueAt(org, "loginPolicy");
  if (!isObject(policy)) return undefined;
  const typesOf = (field: string): JsonValue[] => listAt(org, field).map((factor) => textAt(factor, "type"));
  const lists = {
    secondFactors: typesOf("secondFactors"),
    multiFactors: typesOf("multiFactors"),
    idps: [...listAt(org, "idps")],
  };
  const filled = Object.entries(lists).filter(([, items]) => items.length > 0);
  return { ...policy, ...Object.fromEntries(filled) };
}

function triggersOf(org: JsonObject, table: MessageTable): JsonObject[] {
  const [flow, trigger] = messageNamed(table, "v1.SetTriggerActionsRequest").fields;
  // A number without a name stays a number when it is decoded.
  const numberOf = (field: typeof flow, given: JsonValue | undefined): string =>
    String(field?.kind.is === "enum" && typeof given === "string" ? field.kind.enum.numberOf.get(given) : (given ?? 0));
  return listAt(org, "triggerActions").map((action) => ({
    ...action,
    flowType: numberOf(flow, action["flowType"]),
    triggerType: numberOf(trigger, action["triggerType"]),
  }));
}
