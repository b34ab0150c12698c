import { expose } from 'comlink';

/** Worker on this thread: a channel whose other end exposes the work. @param ended called when it is terminated */
export function workerHere(work: object, ended: () => void = () => undefined): Worker {
  const { port1, port2 } = new MessageChannel();
  expose(work, port2);
  port1.start();
  return Object.assign(port1, {
    terminate: () => {
      ended();
      port1.close();
      port2.close();
    },
  }) as unknown as Worker;
}
