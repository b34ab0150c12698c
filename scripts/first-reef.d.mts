export function bundleFirstReef(
  root: string,
  entry: string,
  target: readonly string[],
): Promise<{ readonly fileName: string; readonly code: string }>;
