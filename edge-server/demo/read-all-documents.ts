import type { Op, OpKind } from '../../src/domain/op/op';
import { documentStateOf, type DocumentState } from '../../src/domain/op/draft';
import { isObject } from '../../src/domain/json';
import { requestBox, type RunningBox } from '../commands/running-box';
import { BoxUnreachableError, DemoError } from './box-client';

const PAGE_SIZE = 1000;

/** Document folded from all its operations on the box. */
export interface DemoDocument {
  readonly state: DocumentState;
  /** True if the document still bears the demo mark. */
  readonly isDemo: boolean;
  /** Part such as `survey/moore-front`; undefined in other documents. */
  readonly part: string | undefined;
}

/**
 * Reads all documents from the box's feed, as a bridge does.
 * @throws DemoError
 */
export async function readAllDocuments(box: RunningBox): Promise<readonly DemoDocument[]> {
  const ops = new Map<string, Op[]>();
  for (let since = 0; ;) {
    const { status, text } = await requestBox(box, 'GET', `/edge/changes?since=${since}&limit=${PAGE_SIZE}`).catch(
      (error: unknown) => {
        throw new BoxUnreachableError(
          `No box answers at ${box.origin}: start it first, or set EDGE_PORT or EDGE_URL as it was started with. (${error instanceof Error ? error.message : String(error)})`,
          { cause: error },
        );
      },
    );
    if (status !== 200)
      throw new DemoError(`The box at ${box.origin} does not show its record (${status}): ${text.slice(0, 200)}`);
    const page = JSON.parse(text) as { entries: { op?: Op }[]; next: number };
    for (const { op } of page.entries) {
      if (op === undefined) continue;
      const key = `${op.kind} ${op.docId}`;
      ops.set(key, [...(ops.get(key) ?? []), op]);
    }
    if (page.entries.length === 0) break;
    since = page.next;
  }
  return [...ops].map(([key, docOps]) => {
    const [kind, docId] = key.split(' ') as [OpKind, string];
    const state = documentStateOf(kind, docId, docOps);
    const { doc } = state.folded;
    return {
      state,
      isDemo: doc['demo'] === true,
      part: typeof doc['demoPart'] === 'string' ? doc['demoPart'] : undefined,
    };
  });
}

export function surveyIdOf({ state }: DemoDocument): string | undefined {
  const { survey } = state.folded.doc;
  return isObject(survey) && typeof survey['id'] === 'string' ? survey['id'] : undefined;
}
