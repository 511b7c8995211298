import { serviceLimits } from "../../contract/service-limits.ts";
import type { IdpLink } from "../../core/merge/source-user.ts";
import { textFault } from "../../core/rules/text.ts";
import type { SourceOption } from "../source.ts";
import { readAssignments } from "./assignments.ts";

/** Ids of identity providers on the target, by what they are called at the source. */
export type IdpIds = ReadonlyMap<string, string>;

/** `--idp <name=id>`. @param name what a provider is called at the source. */
export function idpOption(name: string): SourceOption<IdpIds> {
  return {
    flag: `--idp <${name}=id>`,
    description: `id on the target of an identity provider that users sign in with (repeatable)`,
    read: (given) => readAssignments(given, `<${name}>=<id of the provider on the target>`),
  };
}

/** An account at another provider, as the source knows it. */
export interface Identity {
  readonly provider: string | undefined;
  readonly userId: string | undefined;
  readonly userName?: string | undefined;
}

/** Links for the accounts whose provider is on the target; `isLost`: there are others, or such as the service does not take. */
export function toIdpLinks(
  identities: readonly Identity[],
  ids: IdpIds,
): { readonly links: readonly IdpLink[]; readonly isLost: boolean } {
  const links = identities.flatMap(({ provider = "", userId = "", userName = "" }): readonly IdpLink[] => {
    const idpId = ids.get(provider);
    if (idpId === undefined || !isIdentityText(userId)) return [];
    // The users API wants a name for the account.
    return [{ idpId, externalUserId: userId, displayName: isIdentityText(userName) ? userName : userId }];
  });
  return { links, isLost: links.length < identities.length };
}

function isIdentityText(text: string): boolean {
  return textFault(text, serviceLimits.identityText) === undefined;
}
