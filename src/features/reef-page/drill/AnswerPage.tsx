import { useMemo } from 'react';
import type {
  AnalysisRepository,
  AnswerOfPhotograph,
  ReportImage,
  ReportRepository,
  TraceImage,
} from '../../../data/repositories';
import type { ImageId, SurveyId } from '../../../domain/ids';
import type { RegionId } from '../../../domain/region/region-id';
import { ViewedTracing, type ViewedFacts } from '../../analysis';
import { ViewedLabels } from '../../labelling';
import { asOfText, ReadNote, useRead } from '../../report-map';
import { BackLink, PageHeader } from '../../shell';
import type { ReefSearch } from '../reef-address';
import styles from '../ReefPage.module.css';
import { analystText, formAnswers, storedShareAnswers, withoutStrokesText } from './consensus-text';

interface Props {
  readonly report: ReportRepository;
  readonly regionId: RegionId;
  readonly featureId: string;
  readonly reef: string;
  readonly search: ReefSearch & { readonly photograph: string; readonly answer: string };
}

const NO_TRACES = { kind: 'free-draw', version: 3, marks: [], size: null, stats: null, unknown: 0 } as const;

/** Answer behind a consensus: the strokes or outlines of one analyst over the photograph, view only. */
export default function AnswerPage({ report, regionId, featureId, reef, search }: Props) {
  const { photograph, answer: answerId, ...above } = search;
  const read = useRead(report, (from) => from.answer({ imageId: photograph, answerId }), [photograph, answerId]);
  const [answer] = read.value ?? [];
  const asOf = answer === undefined || read.status === 'ready' ? null : asOfText(read);
  return (
    <>
      <PageHeader
        title={answer === undefined ? 'An answer' : `Answer of ${lowerFirst(analystText(answer))}`}
        sub={`A photograph of ${reef}${asOf === null ? '' : `. ${asOf}`}`}
        back={
          <BackLink
            to="/reefs/$region/$reef"
            params={{ region: regionId, reef: featureId }}
            search={{ ...above, photograph }}
            name="Back to the photograph"
          />
        }
      />
      {answer === undefined ? (
        <main className={styles.page}>
          <ReadNote read={read} loading="Reading the answer" />
          {read.status === 'ready' && (
            <p role="status">
              This photograph has no such answer. It may have been deleted, replaced by a later one, or made private.
            </p>
          )}
        </main>
      ) : (
        <Answer key={answer.answerId} report={report} regionId={regionId} answer={answer} />
      )}
    </>
  );
}

function Answer({
  report,
  regionId,
  answer,
}: Pick<Props, 'report' | 'regionId'> & { readonly answer: AnswerOfPhotograph }) {
  const { imageId, answerId, analyst, content, version, coverage, form, storedShares } = answer;
  const pictures = useMemo(() => picturesOf(report), [report]);
  const image = useMemo(
    (): TraceImage => ({
      id: imageId as ImageId,
      survey: { id: '' as SurveyId, name: '', regionId },
      source: 'census',
      name: '',
      latitude: null,
      photographer: { name: null, organisation: null },
      path: null,
      hasCorrected: false,
    }),
    [imageId, regionId],
  );
  const facts: ViewedFacts = {
    id: answerId,
    content,
    version,
    coverage,
    author: analystText(answer),
    isOwn: false,
    updatedAt: null,
    isVerified: null,
  };
  if (content.kind === 'labels')
    return <ViewedLabels key={analyst} analyses={pictures} image={image} analysis={facts} labels={content} />;
  return (
    <ViewedTracing
      analyses={pictures}
      image={image}
      analysis={facts}
      // Unreadable contents leave the photograph alone.
      traces={content.kind === 'free-draw' ? content : NO_TRACES}
      answers={form !== null ? formAnswers(form, regionId) : storedShareAnswers(storedShares ?? [])}
      note={withoutStrokesText(answer)}
    />
  );
}

/** Pictures of the report, as the viewers of analyses ask for them. */
function picturesOf(report: Pick<ReportRepository, 'picture'>): Pick<AnalysisRepository, 'picture' | 'corrected'> {
  return {
    picture: async ({ id }, size) => {
      const isSmall = size === 800;
      const blob = await report.picture(reportImage(id), isSmall ? 'small' : 'large');
      return { blob, size: isSmall ? 800 : 2000 };
    },
    corrected: () => Promise.resolve(null),
  };
}

/** Photograph by its id alone: the repository finds its address. */
const reportImage = (id: string): ReportImage => ({
  id,
  surveyId: '',
  name: '',
  taken: null,
  camera: null,
  copyright: null,
  path: null,
});

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
