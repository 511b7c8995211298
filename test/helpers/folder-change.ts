import { watch } from "node:fs";

/** Resolves when the condition holds; it is looked at again whenever something in one of the folders changes. */
export function whenFolders(folders: readonly string[], holds: () => boolean): Promise<void> {
  return new Promise((done) => {
    const watchers = folders.map((folder) => watch(folder, look));
    function look(): void {
      if (!holds()) return;
      for (const watcher of watchers) watcher.close();
      done();
    }
    look();
  });
}
