/** Writes `<file>.br` and `<file>.gz` beside each text of a folder that gets smaller by it. Gives how many files it did. */
export function compressFolder(folder: string): number;
