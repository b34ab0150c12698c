import type { RunningBox } from '../commands/running-box';
import { BoxClient, BoxUnreachableError } from './box-client';
import type { DemoContent } from './demo-content';
import { DemoDevice } from './demo-device';
import { DemoFiller, analysisPart, imagePart, type FillWork } from './demo-filler';
import { readAllDocuments, type DemoDocument } from './read-all-documents';

/** Condition for filling a box: always, or only if it is empty. */
type FillMode = 'asked' | 'if-empty';

/** Number of photographs created; 0 with a `reason`. */
interface FillResult {
  readonly photographs: number;
  readonly reason?: string;
}

/**
 * Fills a box with people, surveys on real reefs and rendered photographs. Skips existing documents, so an interrupted
 * run resumes; retries an unreachable box.
 *
 * @param log receives progress lines
 * @throws DemoError
 */
export async function fillDemo(
  box: RunningBox,
  when: FillMode,
  log: (line: string) => void,
  content: DemoContent,
): Promise<FillResult> {
  let documents = await readAllDocuments(box);
  const reason = skipReason(documents, documentsByPart(documents), when, content);
  if (reason !== undefined) return { photographs: 0, reason };
  const device = new DemoDevice();
  const created = { photographs: 0 };
  for (let tries = 0; ;) {
    const before = created.photographs;
    try {
      // The last try may have been stored without a reply.
      if (tries > 0) documents = await readAllDocuments(box);
      await fillOnce(box, device, { existing: documentsByPart(documents), content, log, created });
      return created;
    } catch (error) {
      tries = created.photographs > before ? 1 : tries + 1;
      if (!(error instanceof BoxUnreachableError) || tries > RETRIES_MAX) throw error;
      if (tries === 1) log('the box is unreachable; resuming when it is back');
      await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS));
    }
  }
}

/** Retries and wait, ms: the supervisor restarts a box within half a minute. */
const RETRIES_MAX = 60;
const RETRY_WAIT_MS = 2000;

async function fillOnce(box: RunningBox, device: DemoDevice, work: FillWork): Promise<void> {
  const client = await BoxClient.open(box, device);
  try {
    await new DemoFiller(client, device, work).run();
  } finally {
    client.close();
  }
}

function documentsByPart(found: readonly DemoDocument[]): ReadonlyMap<string, DemoDocument> {
  return new Map(
    found
      .filter(({ isDemo, part, state }) => isDemo && part !== undefined && !state.folded.deleted)
      .map((document) => [document.part ?? '', document]),
  );
}

function skipReason(
  found: readonly DemoDocument[],
  existing: ReadonlyMap<string, DemoDocument>,
  when: FillMode,
  { surveys, people }: DemoContent,
): string | undefined {
  const parts = surveys.flatMap((survey) =>
    survey.habitats.flatMap((_, n) => [imagePart(survey, n), ...people.map(({ key }) => analysisPart(survey, n, key))]),
  );
  if (parts.every((part) => existing.has(part))) return 'The demo content is there already.';
  if (when === 'asked') return undefined;
  if (found.some(({ isDemo }) => !isDemo))
    return 'The box is in use, so no demo content was added. "npm run demo" adds it anyway.';
  // A removed demo must not return at the next start.
  if (found.some(({ state }) => state.folded.deleted))
    return 'The demo content was removed here. "npm run demo" restores it.';
  return undefined;
}
