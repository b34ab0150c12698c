import type pg from 'pg';
import type { Region } from '../../../src/domain/region/region';
import { REGIONS_REFERENCE } from '../../../src/domain/region/staff-regions';
import { StaffChangedRegions } from '../../../src/server/outlines/staff-changed-regions';
import type { ReferenceData } from '../reference/reference-data';
import type { Reader } from '../reads/read-definition';
import { Conditions, accessCondition } from '../reads/read-definition';

/** Survey of a photograph, as its outlines depend on it. */
interface PhotographSurvey {
  readonly surveyId: string;
  /** Region with what staff changed; undefined for one that this version does not know. */
  readonly region: Region | undefined;
  /** Model folders of all regions. */
  readonly dirs: ReadonlySet<string>;
}

/** Reader of the service itself. */
const SERVICE: Reader = { person: null, node: null, isSignedIn: true, isStaff: true };

/** Finds the surveys of photographs and their regions. */
export class PhotographSurveys {
  readonly #pool: pg.Pool;
  readonly #reference: Pick<ReferenceData, 'get'>;
  readonly #regions = new StaffChangedRegions();

  constructor(pool: pg.Pool, reference: Pick<ReferenceData, 'get'>) {
    this.#pool = pool;
    this.#reference = reference;
  }

  /**
   * Finds the survey of a photograph; undefined if either was deleted or is unknown, or if the reader may not see it.
   *
   * @param reader by default the service
   */
  async find(imageId: string, reader: Reader = SERVICE): Promise<PhotographSurvey | undefined> {
    const conditions = new Conditions();
    const wanted = conditions.value(imageId);
    const { rows } = await this.#pool.query<{ survey_id: string; region_id: string | null }>(
      `SELECT s.doc_id AS survey_id, s.region_id FROM docs d JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id
       WHERE d.kind = 'image' AND d.doc_id = ${wanted} AND NOT d.deleted AND NOT s.deleted AND ${accessCondition(conditions, reader, 's')}`,
      conditions.values,
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const regions = this.#regions.of(await this.#reference.get(REGIONS_REFERENCE));
    return {
      surveyId: row.survey_id,
      region: regions.find(({ regionId }) => regionId === row.region_id),
      dirs: new Set(regions.map(({ mlAnalysisDir }) => mlAnalysisDir)),
    };
  }
}
