import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as messages from '../../src/domain/messages';
import { filesBelow } from './test-names';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MESSAGES = 'src/domain/messages.ts';

/** Sentences of features that are not built yet, as `docs/specification.md` lists them. */
const WAITING: Readonly<Record<string, readonly string[]>> = {
  community: [
    'eventIdRequired',
    'eventHandleRequired',
    'eventCreatorRequired',
    'eventTitleRequired',
    'eventTypeRequired',
    'eventStartRequired',
    'eventEndRequired',
    'eventStartBeforeEnd',
    'eventLocationRequired',
    'eventNotFound',
    'participantExists',
    'participantNotFound',
    'eventScheduleFailed',
    'eventActivateFailed',
    'eventCompleteFailed',
    'eventCancelFailed',
    'deleteAnalysisFailed',
    'markBadImageFailed',
    'exportingEvent',
    'eventDeleted',
    'averageFetched',
    'eventDeleteFailed',
    'averageFailed',
    'someErrorOccured',
  ],
  'public site': [
    'subscriptionExists',
    'transactionFailed',
    'tryAgain',
    'colourExtractionFailed',
    'videoUnsupported',
    'PLEASE_PROVIDE_FIRST_NAME',
    'PLEASE_PROVIDE_EMAIL',
    'ALREADY_SUBSCRIBED_USER',
  ],
  globe: ['mobileFirefox', 'comingSoon', 'loadingTracks'],
};

const catalogues = Object.entries(messages as Readonly<Record<string, unknown>>).flatMap(([catalogue, texts]) =>
  /_MESSAGES$/.test(catalogue) ? [{ catalogue, texts: Object.entries(texts as object) }] : [],
);
const product = filesBelow(root, ['src', 'edge-server', 'cloud-sync', 'sw'])
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && file !== MESSAGES)
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

describe('the sentences of the specification', () => {
  it('are each read by the product, or wait for a feature that is not built', () => {
    expect(catalogues.length).toBeGreaterThan(4);
    const unread = catalogues.flatMap(({ catalogue, texts }) =>
      texts
        .map(([name]) => name)
        .filter((name) => {
          // Codes of sign-in errors are passed on as they are.
          const use = name.startsWith('auth/') ? `'${name}'` : `${catalogue}.${name}`;
          return !product.some(({ text }) => new RegExp(`${use}(?!\\w)`).test(text));
        }),
    );
    expect(unread.sort()).toEqual(Object.values(WAITING).flat().sort());
  });

  it('are written once', () => {
    const sentences = catalogues
      .flatMap(({ texts }) => texts.map(([, text]) => text as unknown))
      .filter((text): text is string => typeof text === 'string' && text.includes(' '));
    expect(sentences.length).toBeGreaterThan(60);
    const copies = product.flatMap(({ file, text }) =>
      sentences
        .filter((sentence) => new RegExp(`['"\`>]${escapeText(sentence)}['"\`<]`).test(text))
        .map((sentence) => `${file}: ${sentence}`),
    );
    expect(copies).toEqual([]);
  });
});

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
