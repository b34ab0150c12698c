import type { BuildOptions } from 'esbuild';

/** Options of esbuild for a program of Node; its packages stay in node_modules. */
export declare const PROGRAM: BuildOptions;
/** Further options of a program that contains its packages, but for native ones. */
export declare const WITH_PACKAGES: BuildOptions;
/** The same for the cloud; packages that load late stay in node_modules too. */
export declare const WITH_CLOUD_PACKAGES: BuildOptions;
/** Bundles the edge's entries (`server.mjs`, `supervisor.mjs`, `picture-program.mjs`) into a folder, `dist/edge` by default, and gives it. */
export declare function buildEdgeServer(outdir?: string): Promise<string>;
export declare const EDGE_ENTRIES: Readonly<Record<string, string>>;
/** Bundles the bridge's entries (`server.mjs`, `supervisor.mjs`) into a folder, `dist/bridge` by default, and gives it. */
export declare function buildBridge(outdir?: string): Promise<string>;
export declare const BRIDGE_ENTRIES: Readonly<Record<string, string>>;
/** Bundles the cloud's entries into a folder, `dist/cloud` by default, with its migrations beside them, and gives it. */
export declare function buildCloudServer(outdir?: string): Promise<string>;
export declare const CLOUD_ENTRIES: Readonly<Record<string, string>>;
/** Folders of a server's SQL files. */
export declare const MIGRATIONS: Readonly<Record<'edge' | 'cloud', readonly string[]>>;
/** Copies the SQL files of a server next to a bundle of it. */
export declare function copyMigrations(server: 'edge' | 'cloud', outdir: string): void;
