/** Clean-up steps of the current test, such as the closing of its tablets and boxes. */
export const closers: (() => Promise<unknown>)[] = [];

/** Runs the steps, the latest first. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}
