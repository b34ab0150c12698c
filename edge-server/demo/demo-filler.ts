import { randomBytes } from 'node:crypto';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../src/domain/ids';
import { makeId } from '../../src/domain/ids';
import { newImage } from '../../src/domain/image/image';
import { orderAt } from '../../src/domain/image/order';
import type { Json, JsonObject } from '../../src/domain/json';
import { draftFirst } from '../../src/domain/op/draft';
import type { OpKind } from '../../src/domain/op/op';
import { schemaVersion } from '../../src/domain/records';
import { newSurvey } from '../../src/domain/survey/survey';
import { newProfile } from '../../src/domain/user/user';
import { sceneOf } from '../../src/imaging/reef-renderer/habitats';
import { Random } from '../../src/imaging/reef-renderer/random';
import { buildReef } from '../../src/imaging/reef-renderer/render-reef';
import type { BoxClient } from './box-client';
import type { DemoContent, DemoPerson, DemoSurvey } from './demo-content';
import type { DemoDevice } from './demo-device';
import { analysisOf, type LabelledPicture } from './paint-photograph';
import type { DemoDocument } from './read-all-documents';
import { renderPhotograph } from './render-photograph';

const JOINED_AT = '2025-11-03T07:00:00.000Z';
/** Analyses are a day after the photographs. */
const DAY_MS = 86_400_000;

export interface FillWork {
  readonly existing: ReadonlyMap<string, DemoDocument>;
  readonly content: DemoContent;
  readonly log: (line: string) => void;
  /** Counted over all connections of the run. */
  readonly created: { photographs: number };
}

/** Sends the parts of the demo that a box lacks. */
export class DemoFiller {
  readonly #client: BoxClient;
  readonly #device: DemoDevice;
  readonly #existing: ReadonlyMap<string, DemoDocument>;
  readonly #content: DemoContent;
  readonly #log: (line: string) => void;
  readonly #created: { photographs: number };
  readonly #people = new Map<string, PersonId>();
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
    for (const person of this.#content.people) this.#people.set(person.key, await this.#createPerson(person));
    for (const survey of this.#content.surveys) {
      const uid = this.#people.get(survey.person);
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
      const part = imagePart(survey, n);
      const stored = this.#existing.get(part)?.state.docId as ImageId | undefined;
      const made =
        stored === undefined
          ? await this.#createPhotograph(survey, { id, uid, part, n, habitat, seed: this.#seed })
          : { id: stored, picture: null };
      const picture = (): LabelledPicture =>
        made.picture ?? buildReef(sceneOf(habitat, this.#seed, this.#content.size));
      await this.#createAnalyses(survey, { id, imageId: made.id, n, picture });
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
  ): Promise<{ readonly id: ImageId; readonly picture: LabelledPicture }> {
    const madeAt = timeOfPhotograph(survey, n + 1);
    const random = new Random(seed);
    // A few metres apart along the reef's edge.
    const position = {
      latitude: round(survey.reef.latitude + n * 0.00012 + random.gaussian() * 0.00003),
      longitude: round(survey.reef.longitude + n * 0.00018 + random.gaussian() * 0.00003),
    };
    const taken = madeAt.slice(0, 19);
    const { jpeg, sha256, width, height, label, quality, cover } = await renderPhotograph(
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
    return { id, picture: { label, width, height } };
  }

  /** Each person of the demo paints each photograph, so that its reefs have results. */
  async #createAnalyses(
    survey: DemoSurvey,
    {
      id: surveyId,
      imageId,
      n,
      picture,
    }: { id: SurveyId; imageId: ImageId; n: number; picture: () => LabelledPicture },
  ): Promise<void> {
    let painted: LabelledPicture | undefined;
    for (const [turn, { key, first, last }] of this.#content.people.entries()) {
      const part = analysisPart(survey, n, key);
      const uid = this.#people.get(key);
      if (uid === undefined || this.#existing.has(part)) continue;
      const id = makeId<AnalysisId>((count) => randomBytes(count));
      const madeAt = new Date(Date.parse(timeOfPhotograph(survey, n + 1)) + DAY_MS * (turn + 1)).toISOString();
      const body = analysisOf((painted ??= picture()), {
        id,
        savedAt: madeAt,
        seed: this.#seed * 100 + turn,
        author: { uid, name: { first, last }, isExpert: false, isVerified: false },
        image: { id: imageId, path: null, user: null },
        survey: { id: surveyId, name: survey.name, regionId: 'gbr' },
      });
      await this.#send('analysis', { ...body, ...demoMarks(part) }, uid, madeAt);
    }
  }

  async #send(kind: OpKind, body: JsonObject, by: PersonId, madeAt: string): Promise<void> {
    await this.#client.send(this.#device.seal(draftFirst(kind, body, { by, madeAt, schema: schemaVersion(kind) })));
  }
}

/** Part of a photograph. @param n from 0 */
export function imagePart({ key }: DemoSurvey, n: number): string {
  return `image/${key}/${n + 1}`;
}

/** Part of an analysis of a photograph. @param person key of its author */
export function analysisPart({ key }: DemoSurvey, n: number, person: string): string {
  return `analysis/${key}/${n + 1}/${person}`;
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
