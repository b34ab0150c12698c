/** Clean-up steps of the current test, such as the closing of its tablets and boxes. */
export const closers: (() => Promise<unknown>)[] = [];

/** Runs all steps, the latest first. @throws the first error, once every step ran */
export async function closeAll(): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
