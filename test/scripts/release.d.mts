interface ArchivedFile {
  readonly name: string;
  readonly content: Buffer;
  readonly mode?: number;
}
export declare function archive(files: readonly ArchivedFile[]): Buffer;
export declare function notesOf(changelog: string, wanted: string): string;
