/** Text of an error page: what happened, what is safe, what to do. */
interface FailureText {
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
      text: 'Everything saved before is safe. Remove other apps, films or downloads, then reload.',
    };
  }
  if (/SecurityError|InvalidStateError|denied|A mutation operation was attempted/.test(name)) {
    return {
      title: 'The browser does not let this app store data',
      text: 'This may be a private window, or storage may be switched off in the browser’s settings. No photograph was taken in this window. Leave private browsing or allow storage for this address, then reload.',
    };
  }
  if (/dynamically imported module|Importing a module script failed|error loading/i.test(name)) {
    return {
      title: 'Part of the app is missing',
      text: 'It could not be loaded and is not stored on this tablet yet. Everything saved on this tablet is safe. Come within reach of the box and reload.',
    };
  }
  return {
    title: 'Everything saved on this tablet is safe',
    text: `Reload the page. If this happens again, tell the crew. Details: ${message}`,
  };
}

function causes(error: Error): string {
  const { cause, inner } = error as { cause?: unknown; inner?: unknown };
  return [cause, inner].map((at) => (at instanceof Error ? `${at.name} ${at.message}` : '')).join(' ');
}
