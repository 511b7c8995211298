/** Undo steps for things that must not outlive the process, run when it is told to stop at once (second Ctrl-C). */
export interface CleanUp {
  /** Registers a synchronous undo step; the function returned takes it back. */
  add(undo: () => void): () => void;
  /** Runs every step that is left, the last one first; a step that fails does not keep the others from running. */
  runAll(): void;
}

export function createCleanUp(): CleanUp {
  const steps = new Set<() => void>();
  return {
    add(undo) {
      steps.add(undo);
      return () => steps.delete(undo);
    },
    runAll() {
      for (const undo of [...steps].reverse()) {
        try {
          undo();
        } catch {
          // The process is ending: there is nobody left to tell.
        }
      }
      steps.clear();
    },
  };
}
