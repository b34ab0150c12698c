/** Longest wait of a job for one thing: a slow photograph holds up no other. */
const PATIENCE_MS = 5_000;

/** False if something takes long; it is made anyway. @throws errors of the making */
export async function isMadeSoon(making: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS).unref();
  });
  try {
    return await Promise.race([making.then(() => true), patience]);
  } finally {
    clearTimeout(timer);
  }
}
