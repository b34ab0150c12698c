/**
 * Runs a one-time command on the stores of a server that does not run.
 *
 * @throws Error of a failed write, which the work itself may not see
 */
export async function withStores<Stores extends { close(): Promise<void> }, Result>(
  open: (onFatal: (error: Error) => void) => Promise<Stores>,
  work: (stores: Stores) => Result | Promise<Result>,
): Promise<Result> {
  let failed: Error | undefined;
  const stores = await open((error) => (failed = error));
  try {
    const result = await work(stores);
    if (failed !== undefined) throw failed;
    return result;
  } finally {
    await stores.close();
  }
}
