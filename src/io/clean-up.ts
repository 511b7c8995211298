/** Undo steps for things that must not outlive the process. They run when it stops at once (second Ctrl-C). */
export interface CleanUp {
  /** Registers a synchronous undo step. The returned function unregisters it. */
  add(undo: () => void): () => void;
  /** Runs all registered steps, the last one first. A step that fails does not stop the others. */
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
          // The process is ending: the failure cannot be reported.
        }
      }
      steps.clear();
    },
  };
}
