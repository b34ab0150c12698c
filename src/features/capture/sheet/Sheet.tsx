import { useState, type Ref } from 'react';
import { formatCount } from '../../../base/plural';
import type { PhotographView, Repositories, SurveyView } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import { recordOwner } from '../../../domain/policy/topic-policy';
import { DEFAULT_REGION, isRegionId } from '../../../domain/region/region-id';
import { formatDay } from '../../../domain/survey/day';
import { useObservable, useRegionConfig } from '../../shell';
import { formatMoment } from '../camera-clock/format-times';
import styles from './Sheet.module.css';
import {
  lightsText,
  photographLines,
  printedVerdict,
  sheetSections,
  type NameOf,
  type PrintedVerdict,
  type SheetSection,
} from './sheet-text';

interface Props {
  readonly repositories: Repositories;
  readonly survey: SurveyView;
  readonly photographs: readonly PhotographView[];
  readonly urls: ReadonlyMap<ImageId, string>;
  readonly ref?: Ref<HTMLElement>;
}

/** Paper. A table, because its head is repeated on each page; rows of two photographs, which no page break cuts. */
export function Sheet({ repositories, survey, photographs, urls, ref }: Props) {
  const { custody, census } = repositories;
  const regionId = isRegionId(survey.regionId) ? survey.regionId : DEFAULT_REGION;
  const region = useRegionConfig(census.regions, regionId);
  const nameOf = useNames(repositories);
  const places = new Map(useObservable(custody.photographs.ofSurvey(survey.id)).items.map((each) => [each.id, each]));
  const verdict = useObservable(custody.cards.all).items.find(({ surveyId }) => surveyId === survey.id)?.verdict;
  const { to } = useObservable(custody.sending.facts);
  // The time of the page: what is printed was true then.
  const [now] = useState(() => new Date().toISOString());
  const title = survey.name === '' ? 'No place yet' : survey.name;
  const authors = new Set(photographs.map(({ doc }) => recordOwner(doc)));
  const pairs = Array.from({ length: Math.ceil(photographs.length / 2) }, (_, i) => i * 2);
  const card = (index: number) => {
    const photograph = photographs[index];
    if (photograph === undefined) return <div />;
    return (
      <Photograph
        number={index + 1}
        photograph={photograph}
        url={urls.get(photograph.id)}
        by={authors.size > 1 ? nameOf(recordOwner(photograph.doc)) : ''}
        place={lightsText(places.get(photograph.id))}
      />
    );
  };
  return (
    <article ref={ref} className={styles.sheet} data-sheet>
      <table role="presentation">
        <thead>
          <tr>
            <td>
              <div className={styles.head}>
                <b>
                  {title}
                  {survey.date !== '' && `, ${formatDay(survey.date)}`}
                </b>
                <span>Great Reef Census, survey {survey.id}</span>
              </div>
            </td>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <div className={styles.sections}>
                {sheetSections(survey, photographs, region.regionName, nameOf).map((section) => (
                  <Section key={section.title} section={section} />
                ))}
              </div>
              <Verdict verdict={printedVerdict(verdict, to, now)} />
            </td>
          </tr>
          <tr className={styles.heading}>
            <td>
              <h2>{formatCount(photographs.length, 'photograph')}</h2>
              <p>
                In the order of the survey. Where each one is, as of {formatMoment(now)} by this tablet’s clock (
                {zoneName(now)}).
              </p>
            </td>
          </tr>
          {pairs.map((first) => (
            <tr key={photographs[first]?.id ?? first} className={styles.row}>
              <td>
                <div className={styles.pair}>
                  {card(first)}
                  {card(first + 1)}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  );
}

function Section({ section: { title, fields } }: { readonly section: SheetSection }) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      <dl>
        {fields.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value === '' ? <i>not entered</i> : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Verdict({ verdict: { title, detail, blockers } }: { readonly verdict: PrintedVerdict }) {
  return (
    <section className={styles.verdict}>
      <h2>Camera card</h2>
      <p>
        <b>{title}.</b> {detail}
      </p>
      {blockers.length > 0 && (
        <ul>
          {blockers.map((blocker) => (
            <li key={blocker}>{blocker}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Photograph({
  number,
  photograph,
  url,
  by,
  place,
}: {
  readonly number: number;
  readonly photograph: PhotographView;
  readonly url: string | undefined;
  readonly by: string;
  readonly place: string;
}) {
  return (
    <div className={styles.photograph}>
      <span className={styles.picture}>
        {url === undefined ? <span>No picture on this tablet</span> : <img src={url} alt="" decoding="sync" />}
      </span>
      <div>
        <b>
          {number.toLocaleString('en')}. {photograph.name}
        </b>
        {photographLines(photograph, by).map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p>{place}</p>
      </div>
    </div>
  );
}

/** Names of the people of the survey, the current user included. */
function useNames({ account: { people }, census: { surveys } }: Pick<Repositories, 'account' | 'census'>): NameOf {
  const person = useObservable(people.current);
  const names = new Map(useObservable(surveys.authors).items.map(({ uid, name }) => [uid, name]));
  if (person !== null) names.set(person.uid, `${person.name.first} ${person.name.last}`.trim());
  return (uid) => (uid === null ? '' : (names.get(uid) ?? ''));
}

/** Zone of this tablet, such as `GMT+10`. @param at ISO 8601 */
function zoneName(at: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(new Date(at));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
}
