import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson } from '../../src/domain/canonical';
import type { ImageId, OpId, PersonId, Sha256, SurveyId } from '../../src/domain/ids';
import { makeId, opIdOf } from '../../src/domain/ids';
import { newImage } from '../../src/domain/image/image';
import { orderAt } from '../../src/domain/image/order';
import type { Json, JsonObject } from '../../src/domain/json';
import type { OpDraft } from '../../src/domain/op/draft';
import { draftFirst, sealOp } from '../../src/domain/op/draft';
import type { Op, OpKind } from '../../src/domain/op/op';
import { schemaVersion } from '../../src/domain/records';
import { newSurvey } from '../../src/domain/survey/survey';
import { newProfile } from '../../src/domain/user/user';
import { Random } from '../../src/imaging/reef-renderer/random';
import type { RunningBox } from '../commands/running-box';
import { BoxUnreachableError, BoxClient } from './box-client';
import type { DemoContent, DemoPerson, DemoSurvey } from './demo-content';
import { readAllDocuments, type DemoDocument } from './read-all-documents';
import { renderPhotograph } from './render-photograph';

/** Device of the demo. New in each run, so that no operation id is reused. */
export class DemoDevice {
  readonly id = makeId((n) => randomBytes(n));
  readonly name = 'Demo content';
  #count = 0;

  seal(draft: OpDraft): Op {
    this.#count += 1;
    const opId: OpId = opIdOf(this.id, this.#count);
    return sealOp(draft, opId, createHash('sha256').update(canonicalJson(draft.body)).digest('hex') as Sha256);
  }
}

const JOINED_AT = '2025-11-03T07:00:00.000Z';

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

interface FillWork {
  readonly existing: ReadonlyMap<string, DemoDocument>;
  readonly content: DemoContent;
  readonly log: (line: string) => void;
  /** Counted over all connections of the run. */
  readonly created: { photographs: number };
}

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
  { surveys }: DemoContent,
): string | undefined {
  if (surveys.every(({ key, habitats }) => habitats.every((_, n) => existing.has(`image/${key}/${n + 1}`))))
    return 'The demo content is there already.';
  if (when === 'asked') return undefined;
  if (found.some(({ isDemo }) => !isDemo))
    return 'The box is in use, so no demo content was added. "npm run demo" adds it anyway.';
  // A removed demo must not return at the next start.
  if (found.some(({ state }) => state.folded.deleted))
    return 'The demo content was removed here. "npm run demo" restores it.';
  return undefined;
}

class DemoFiller {
  readonly #client: BoxClient;
  readonly #device: DemoDevice;
  readonly #existing: ReadonlyMap<string, DemoDocument>;
  readonly #content: DemoContent;
  readonly #log: (line: string) => void;
  readonly #created: { photographs: number };
  #seed = 0;

  constructor(client: BoxClient, device: DemoDevice, { existing, content, log, created }: FillWork) {
    this.#client = client;
    this.#device = device;
    this.#existing = existing;
    this.#content = content;
    this.#log = log;
    this.#created = created;
  }

  async run(): Promise<void> {
    const people = new Map<string, PersonId>();
    for (const person of this.#content.people) people.set(person.key, await this.#createPerson(person));
    for (const survey of this.#content.surveys) {
      const uid = people.get(survey.person);
      if (uid === undefined) throw new Error(`the demo knows no ${survey.person}`);
      await this.#createSurvey(survey, uid);
      this.#log(`${survey.name}: ${survey.habitats.length} photographs`);
    }
  }

  async #createPerson({ key, first, last, email }: DemoPerson): Promise<PersonId> {
    const part = `person/${key}`;
    const existing = this.#existing.get(part);
    if (existing !== undefined) return existing.state.docId as PersonId;
    const uid = makeId<PersonId>((n) => randomBytes(n));
    await this.#send(
      'profile',
      { ...newProfile({ uid, email, name: { first, last }, optin: false, pending: true }), ...demoMarks(part) },
      uid,
      JOINED_AT,
    );
    return uid;
  }

  async #createSurvey(survey: DemoSurvey, uid: PersonId): Promise<void> {
    const part = `survey/${survey.key}`;
    const existing = this.#existing.get(part);
    const id = (existing?.state.docId as SurveyId | undefined) ?? makeId<SurveyId>((n) => randomBytes(n));
    const { reef } = survey;
    const position = { latitude: reef.latitude, longitude: reef.longitude };
    if (existing === undefined) {
      const madeAt = timeOfPhotograph(survey, 0);
      const body: JsonObject = newSurvey({
        id,
        uid,
        madeAt,
        name: survey.name,
        date: survey.date,
        timeIn: survey.timeIn,
        type: survey.type,
        location: { id: reef.id, gid: reef.gid, regionId: 'gbr', name: reef.name, position },
        site: { position, type: survey.site.type },
        visibility: survey.visibility,
        duration: survey.duration,
        camera: 'Reef renderer (made pictures)',
        experience: survey.experience,
      });
      await this.#send(
        'survey',
        { ...body, site: { ...(body['site'] as JsonObject), name: survey.site.name }, ...demoMarks(part) },
        uid,
        madeAt,
      );
    }
    for (const [n, habitat] of survey.habitats.entries()) {
      this.#seed += 1;
      const own = `image/${survey.key}/${n + 1}`;
      if (this.#existing.has(own)) continue;
      await this.#createPhotograph(survey, { id, uid, part: own, n, habitat, seed: this.#seed });
    }
  }

  async #createPhotograph(
    survey: DemoSurvey,
    {
      id: surveyId,
      uid,
      part,
      n,
      habitat,
      seed,
    }: { id: SurveyId; uid: PersonId; part: string; n: number; habitat: DemoSurvey['habitats'][number]; seed: number },
  ): Promise<void> {
    const madeAt = timeOfPhotograph(survey, n + 1);
    const random = new Random(seed);
    // A few metres apart along the reef's edge.
    const position = {
      latitude: round(survey.reef.latitude + n * 0.00012 + random.gaussian() * 0.00003),
      longitude: round(survey.reef.longitude + n * 0.00018 + random.gaussian() * 0.00003),
    };
    const taken = madeAt.slice(0, 19);
    const { jpeg, sha256, width, height, quality, cover } = await renderPhotograph(
      { habitat, seed, size: this.#content.size },
      { takenAt: taken, ...position },
    );
    const id = makeId<ImageId>((count) => randomBytes(count));
    const name = `demo-${survey.key}-${String(n + 1).padStart(2, '0')}.jpg`;
    const body: JsonObject = newImage({
      id,
      uid,
      sha256,
      madeAt,
      taken,
      width,
      height,
      survey: { id: surveyId, name: survey.name, regionId: 'gbr' },
      bytes: jpeg.length,
      type: 'image/jpeg',
      path: name,
      camera: { make: 'Great Reef Census', model: 'Reef renderer' },
      fileMeta: { name, size: jpeg.length, lastModified: madeAt },
      position: { ...position, source: 'exif' },
      preview: { state: 'made' },
      order: orderAt(Date.parse(madeAt), id),
      ...(quality === null ? {} : { quality }),
    });
    const truth: Json = {
      habitat,
      seed,
      cover: Object.fromEntries(Object.entries(cover).map(([letter, share]) => [letter, round(share)])),
    };
    await this.#client.sendBytes({ surveyId, imageId: id, path: name, bytes: jpeg, sha256, type: 'image/jpeg' });
    await this.#send('image', { ...body, ...demoMarks(part), demoTruth: truth }, uid, madeAt);
    this.#created.photographs += 1;
  }

  async #send(kind: OpKind, body: JsonObject, by: PersonId, madeAt: string): Promise<void> {
    await this.#client.send(this.#device.seal(draftFirst(kind, body, { by, madeAt, schema: schemaVersion(kind) })));
  }
}

/** Marks that tell demo documents from real work. */
function demoMarks(part: string): JsonObject {
  return { demo: true, demoPart: part };
}

/** Ten seconds apart, from the start of the dive. */
function timeOfPhotograph({ date, timeIn }: DemoSurvey, n: number): string {
  return new Date(Date.parse(`${date}T${timeIn}:00.000Z`) + n * 10_000).toISOString();
}

function round(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}
