// Program of the processes that decode photographs; started by `picture-process.ts` under its limits.
import type { PictureJob } from './make-picture';
import { makePicture, restrictSharp } from './make-picture';

restrictSharp();
// Signals go to a whole group, as Ctrl-C does: the server ends this process, and no picture is to blame.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (job: PictureJob) => {
  void makePicture(job).then((result) => process.send?.({ ...result, rssBytes: process.memoryUsage.rss() }));
});
process.send?.({ ready: true });
