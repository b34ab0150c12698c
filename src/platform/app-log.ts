import type { Log, LogEntry } from './host';
import { createRingLog } from './ring-log';
import { readLocalSetting, writeLocalSetting } from './local-settings';

const KEY = 'reef.log';

/** Start of the advert of the read model's library, hidden since the console is for the crew. */
const ADVERT = '-------------- RxDB Open Core RxStorage';

/** App log: in memory, shortened in storage, and on the console from `warn` on. */
export const appLog: Log = createRingLog({ now: () => Date.now() }, print, {
  read: () => readLocalSetting(KEY),
  write: (text) => writeLocalSetting(KEY, text),
});

/** Logs uncaught errors, and hides a library's advert from the console. */
export function watchForErrors(log: Log): () => void {
  const onError = (event: ErrorEvent): void =>
    noteError(log, event.error ?? event.message, { at: `${event.filename}:${event.lineno}:${event.colno}` });
  const onRejection = (event: PromiseRejectionEvent): void => noteError(log, event.reason);
  addEventListener('error', onError);
  addEventListener('unhandledrejection', onRejection);
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (typeof words[0] === 'string' && words[0].startsWith(ADVERT)) return;
    warn.apply(console, words);
  };
  return () => {
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onRejection);
    console.warn = warn;
  };
}

export function noteError(log: Log, thrown: unknown, details: Readonly<Record<string, unknown>> = {}): void {
  // A request cancelled by a person is not an error.
  if (thrown instanceof DOMException && thrown.name === 'AbortError') return;
  const stack = thrown instanceof Error ? { stack: thrown.stack } : {};
  log.note('error', thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown), {
    ...details,
    ...stack,
  });
}

function print({ level, message, details }: LogEntry): void {
  if (level === 'info') return;
  console[level](message, details ?? '');
}
