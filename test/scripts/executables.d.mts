export declare const platforms: Readonly<Record<string, readonly [wheel: string, sha256: string, node: string]>>;
export declare const ownPlatform: string;
export declare function buildExecutable(platform: string, folder: string): Promise<{ path: string; blob: Buffer }>;
