import { ProblemError } from "../../problem.ts";
import { type InstanceAddress, parseAddress } from "../address.ts";
import { type Answer, createCall } from "../call.ts";
import { connect, type Environment } from "../http/connection.ts";
import { type Redactor, Secret } from "../secret.ts";
import { linkRefusal } from "./refusal.ts";

export interface DownloadSettings {
  /** Whose link it is. */
  readonly address: InstanceAddress;
  readonly redactor: Redactor;
  readonly env: Environment;
  readonly insecureHttp: boolean;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

/** Until the answer begins, and for what is slower than any line. */
const ANSWER_MS = 60_000;
/** Shorter ones are no keys. */
const SECRET_LENGTH = 16;

/**
 * Gets the file that a signed link leads to. The link is the key: it is never shown, and the host, which is another company's, is sent no
 * token. The connection is closed when the answer has been read. Raises api.link-refused, api.unexpected, net.*.
 */
export async function download(location: string, settings: DownloadSettings, signal: AbortSignal): Promise<Answer> {
  const { redactor, env } = settings;
  const url = URL.canParse(location) ? new URL(location) : undefined;
  const address = url === undefined ? undefined : addressOf(url, settings.insecureHttp);
  if (url === undefined || address === undefined) {
    const what = "a link to the export that is no address with https";
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

/** undefined: an address that a link must not have. */
function addressOf({ origin }: URL, insecureHttp: boolean): InstanceAddress | undefined {
  try {
    return parseAddress(origin, "auth0", insecureHttp);
  } catch {
    return undefined;
  }
}
