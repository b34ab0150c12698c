/** Text of an error page: what happened, what is safe, what to do. */
export interface FailureText {
  readonly title: string;
  readonly text: string;
}

/** Describes the browser's storage and file errors in plain words; others are shown as they are. */
export function failureText(error: unknown): FailureText {
  const message = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error ? `${error.name} ${message} ${causes(error)}` : message;
  if (/QuotaExceeded|storage-full|storage of this tablet is full/.test(name)) {
    return {
      title: 'This tablet is full',
      text: 'Free space on it: other apps, films, downloads. Then load again. What was saved before is safe.',
    };
  }
  if (/SecurityError|InvalidStateError|denied|A mutation operation was attempted/.test(name)) {
    return {
      title: 'The browser gives this app no storage',
      text: 'It may be a private window, or storage is switched off in the browser’s settings. Leave private browsing or allow storage for this address, then load again. No photograph was taken in this window.',
    };
  }
  if (/dynamically imported module|Importing a module script failed|error loading/i.test(name)) {
    return {
      title: 'A part of the app is not here yet',
      text: 'It could not be fetched, and it is not kept on this tablet yet. Come into reach of the box and load again. What is saved on this tablet is still there.',
    };
  }
  return {
    title: 'What is saved on this tablet is still there',
    text: `Load again; if it comes back, tell the crew. It says: ${message}`,
  };
}

function causes(error: Error): string {
  const { cause, inner } = error as { cause?: unknown; inner?: unknown };
  return [cause, inner].map((at) => (at instanceof Error ? `${at.name} ${at.message}` : '')).join(' ');
}
