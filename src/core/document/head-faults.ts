import { createWalker } from "../json/walker.ts";
import { type ShapeFault, settingFault, shapeFault } from "../rules/shape.ts";

/** What keeps one member of an organization's head from being sent, with the line where it stands. Takes JSON that was parsed before. */
export function headFaults(name: string, bytes: Buffer, line: number): { fault: ShapeFault; line: number }[] {
  const value: unknown = JSON.parse(bytes.toString());
  const faults: { fault: ShapeFault; line: number }[] = [];
  const take = (fault: ShapeFault | undefined, at: number): void => {
    if (fault !== undefined) faults.push({ fault, line: at });
  };
  if (!Array.isArray(value)) {
    take(settingFault(name, value), line);
    return faults;
  }
  const walker = createWalker(
    { elements: undefined },
    {
      value: (_, element, lineInList) => take(shapeFault(name, JSON.parse(element.toString())), line + lineInList - 1),
    },
  );
  walker.push(bytes);
  walker.end();
  return faults;
}
