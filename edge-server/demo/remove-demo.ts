import { draftDelete } from '../../src/domain/op/draft';
import type { OpKind } from '../../src/domain/op/op';
import type { PersonId } from '../../src/domain/ids';
import { isObject } from '../../src/domain/json';
import { schemaVersion } from '../../src/domain/records';
import type { RunningBox } from '../commands/running-box';
import { BoxClient } from './box-client';
import { DemoDevice } from './demo-device';
import { readAllDocuments, surveyIdOf, type DemoDocument } from './read-all-documents';

/** Number of deleted documents; `keptSurveys` contain real photographs. */
interface RemovalResult {
  readonly documents: number;
  readonly keptSurveys: readonly string[];
}

const DELETE_ORDER: readonly OpKind[] = ['analysis', 'image', 'survey', 'profile'];

/**
 * Deletes the demo by operations, so that it disappears from tablets, box and cloud. A demo survey with real
 * photographs stays, with its person.
 *
 * @param now ISO 8601 UTC with milliseconds
 * @throws DemoError
 */
export async function removeDemo(box: RunningBox, now: string): Promise<RemovalResult> {
  const documents = (await readAllDocuments(box)).filter(({ state }) => !state.folded.deleted);
  const demo = documents.filter(({ isDemo }) => isDemo);
  const surveysInUse = new Set(
    documents.filter(({ isDemo, state }) => !isDemo && state.kind === 'image').map((image) => surveyIdOf(image)),
  );
  const keptSurveys = demo.filter(({ state }) => state.kind === 'survey' && surveysInUse.has(state.docId));
  const people = new Set(keptSurveys.map((survey) => personIdOf(survey)));
  const toDelete = demo
    .filter(
      (document) =>
        !keptSurveys.includes(document) && !(document.state.kind === 'profile' && people.has(document.state.docId)),
    )
    .sort((a, b) => DELETE_ORDER.indexOf(a.state.kind) - DELETE_ORDER.indexOf(b.state.kind));
  if (toDelete.length > 0) {
    const device = new DemoDevice();
    const client = await BoxClient.open(box, device);
    try {
      for (const document of toDelete)
        await client.send(
          device.seal(
            draftDelete(document.state, {
              ...authorOf(document),
              madeAt: now,
              schema: schemaVersion(document.state.kind),
            }),
          ),
        );
    } finally {
      client.close();
    }
  }
  return {
    documents: toDelete.length,
    keptSurveys: keptSurveys.map(({ state }) => String(state.folded.doc['name'] ?? state.docId)),
  };
}

/** Only the person themselves may write a profile; other documents use their owner. */
function authorOf(document: DemoDocument): { readonly by?: PersonId } {
  const person = document.state.kind === 'profile' ? document.state.docId : personIdOf(document);
  return person === undefined ? {} : { by: person as PersonId };
}

function personIdOf({ state }: DemoDocument): string | undefined {
  const { user } = state.folded.doc;
  return isObject(user) && typeof user['uid'] === 'string' ? user['uid'] : undefined;
}
