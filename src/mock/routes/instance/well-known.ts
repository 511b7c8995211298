import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { permissionsOf } from "../../http/auth.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { acceptCaller } from "../shared/accept.ts";

/** Health by its paths: `/health` is the mock's own, the others are the service's (service behaviour 0.21; recordings 121–125). */
export const healthAnswers: Readonly<Record<string, Answer>> = {
  "/health": jsonAnswer({ status: "ok" }),
  "/healthz": jsonAnswer({ status: "SERVING" }),
  "/debug/healthz": { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: "ok" },
  "/debug/ready": jsonAnswer("ok"),
  "/debug/validate": jsonAnswer("ok"),
  "/admin/v1/healthz": jsonAnswer({}),
};

const LOCALES = "bg cs de en es fr hu id it ja ko mk nl pl pt ro ru sv tr zh".split(" ");

/** `GET /.well-known/openid-configuration`: only the endpoints that the mock has. */
export async function showConfiguration(_call: Call, { origin, traits }: Instance): Promise<Answer> {
  return jsonAnswer({
    issuer: origin,
    token_endpoint: `${origin}/oauth/v2/token`,
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    scopes_supported: ["openid", "profile", "email", "phone", "address", "offline_access"],
    ui_locales_supported: [...LOCALES, ...traits.addedLocales.split(" ").filter(Boolean)].sort(),
    ...(traits.logsOutBackchannel
      ? { backchannel_logout_supported: true, backchannel_logout_session_supported: true }
      : {}),
  });
}

/** `GET /admin/v1/instances/me`: the instance with its version (tried on all four versions). */
export async function showInstance(call: Call, instance: Instance): Promise<Answer> {
  acceptCaller(call, instance, { permission: "iam.read" });
  const { store, traits, domain, listensOn } = instance;
  const id = store.state.instance?.id ?? "";
  const domains = [
    { domain: `zitadel-mock.${domain}`, generated: true },
    { domain: listensOn, primary: true },
  ];
  const { version } = traits;
  return jsonAnswer({ instance: { id, state: "STATE_RUNNING", name: "ZITADEL", version, domains } });
}

/** `GET /oidc/v1/userinfo`: the user of the token (service behaviour 0.28). */
export async function showUserInfo(call: Call, instance: Instance): Promise<Answer> {
  return jsonAnswer({ sub: acceptCaller(call, instance).userId });
}

/** `POST /auth/v1/permissions/zitadel/me/_search`: what the token may do (service behaviour 9.18). */
export async function listPermissions(call: Call, instance: Instance): Promise<Answer> {
  const result = permissionsOf(acceptCaller(call, instance));
  return jsonAnswer(result.length === 0 ? {} : { result });
}

/** `GET /management/v1/policies/notification`: the default of every instance, an e-mail for each changed password (service behaviour 0.28). */
export async function showNotificationPolicy(call: Call, instance: Instance): Promise<Answer> {
  acceptCaller(call, instance, { permission: "user.write" });
  return jsonAnswer({ policy: { isDefault: true, passwordChange: true } });
}
