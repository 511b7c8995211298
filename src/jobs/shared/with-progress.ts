import type { Measured, Progress } from "../../ui/terminal/progress.ts";
import type { Ui } from "../../ui/ui.ts";

/** Shows a progress line while the work runs. */
export async function withProgress<T>(
  ui: Pick<Ui, "progress">,
  title: string,
  work: (progress: Progress) => Promise<T>,
  measured?: Measured,
): Promise<T> {
  const progress = ui.progress(title, measured);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}
