import type { MockServer } from "../../../src/mock/server.ts";
import type { Random } from "../random.ts";
import type { Asked, EndpointName } from "./answers.ts";
import type { Fault } from "./faults/fault.ts";
import { HostileInstance, type SoundAnswer } from "./hostile-instance.ts";

/** The mock, on the level of bytes, sound or hostile: what it cannot do itself befalls its answers here. */
export class HostileFront extends HostileInstance {
  readonly #mock: Pick<MockServer, "url" | "token">;

  constructor(mock: Pick<MockServer, "url" | "token">, random: Random) {
    super(random);
    this.#mock = mock;
  }

  protected override look(): void {}

  /** The mock does the whole of a call or nothing. */
  protected override async work(asked: Asked, _: EndpointName, fault: Fault | undefined): Promise<SoundAnswer> {
    const isDone = fault?.work === "part" ? this.random.chance(0.5) : fault?.work !== "none";
    return isDone ? this.#forward(asked) : { answer: { status: 200, body: {} }, date: new Date().toUTCString() };
  }

  protected override secretsOf(): readonly string[] {
    return [this.#mock.token];
  }

  async #forward({ method, path, authorization, orgId, text }: Asked): Promise<SoundAnswer> {
    const response = await fetch(this.#mock.url + path, {
      method,
      headers: { authorization, "content-type": "application/json", ...(orgId === "" ? {} : { [ORG]: orgId }) },
      ...(method === "GET" ? {} : { body: text }),
    });
    const said = await response.text();
    const date = response.headers.get("date") ?? "";
    return { answer: { status: response.status, body: said === "" ? {} : JSON.parse(said) }, date };
  }
}

const ORG = "x-zitadel-orgid";
