import { createWalker } from "../json/walker.ts";
import { type ShapeFault, settingFault, shapeFault } from "../rules/shape.ts";

/** A fault of a member, the line where it stands, and which element of the member it is: "" or "[2]". */
export interface HeadFault {
  readonly fault: ShapeFault;
  readonly line: number;
  readonly element: string;
}

/** What keeps one member of an organization's head from being sent. Takes JSON that was parsed before. */
export function headFaults(name: string, bytes: Buffer, line: number): HeadFault[] {
  const value: unknown = JSON.parse(bytes.toString());
  const faults: HeadFault[] = [];
  const take = (fault: ShapeFault | undefined, at: number, element = ""): void => {
    if (fault !== undefined) faults.push({ fault, line: at, element });
  };
  if (!Array.isArray(value)) {
    take(settingFault(name, value), line);
    return faults;
  }
  let position = 0;
  const walker = createWalker(
    { elements: undefined },
    {
      value: (_, element, lineInList) => {
        take(shapeFault(name, JSON.parse(element.toString())), line + lineInList - 1, `[${position}]`);
        position += 1;
      },
    },
  );
  walker.push(bytes);
  walker.end();
  return faults;
}
