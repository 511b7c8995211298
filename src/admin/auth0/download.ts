import { ProblemError } from "../../problem.ts";
import { type InstanceAddress, parseAddress } from "../address.ts";
import { type Answer, createCall } from "../call.ts";
import type { HostSettings } from "../client.ts";
import { connect } from "../http/connection.ts";
import { Secret } from "../secret.ts";
import { linkRefusal } from "./refusal.ts";

/** How the tenant, and what it links to, is reached. */
export interface DownloadSettings extends HostSettings {
  readonly insecureHttp: boolean;
}

/** Time limit until the answer begins; a slow download may take longer. */
const ANSWER_MS = 60_000;
/** Shorter query values are not secrets. */
const SECRET_LENGTH = 16;

/**
 * Downloads the file of a signed link. The link itself grants access: it is never shown. The host belongs to another company, so it gets
 * no token. The connection closes when the answer has been read. Raises api.link-refused, api.unexpected, net.*.
 */
export async function download(location: string, settings: DownloadSettings, signal: AbortSignal): Promise<Answer> {
  const { redactor, env } = settings;
  const url = URL.canParse(location) ? new URL(location) : undefined;
  const address = url === undefined ? undefined : addressOf(url, settings.insecureHttp);
  if (url === undefined || address === undefined) {
    const what = "a link to the export that is no https address";
    throw new ProblemError({ code: "api.unexpected", host: settings.address.host, what });
  }
  for (const value of [url.search.slice(1), ...url.searchParams.values()]) {
    if (value.length >= SECRET_LENGTH) redactor.add(new Secret(value));
  }
  const connection = connect(address, env);
  for (const secret of connection.secrets) redactor.add(secret);
  const call = createCall({ ...settings, address, dispatcher: connection.dispatcher, readRefusal: linkRefusal });
  try {
    const answer = await call({
      method: "GET",
      path: url.pathname + url.search,
      headers: { accept: "*/*" },
      body: Buffer.alloc(0),
      limitMs: ANSWER_MS,
      role: "",
      signal,
      isDownload: true,
    });
    return { ...answer, bytes: () => closing(answer.bytes(), () => connection.close()) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function* closing(chunks: AsyncIterable<Buffer>, close: () => Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } finally {
    await close();
  }
}

/** undefined for an address that is not allowed in a link. */
function addressOf({ origin, protocol }: URL, insecureHttp: boolean): InstanceAddress | undefined {
  if (protocol !== "https:" && protocol !== "http:") return undefined; // the origin of a file is the text "null"
  try {
    return parseAddress(origin, "auth0", insecureHttp);
  } catch {
    return undefined;
  }
}
