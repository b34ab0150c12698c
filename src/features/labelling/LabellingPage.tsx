import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { AnalysisRepository, LabellingWork, PersonRoles, Repositories, TraceImage } from '../../data/repositories';
import { labelVersion, type LabelVersion } from '../../domain/analysis/labelling/label-versions';
import type { ImageId, SurveyId } from '../../domain/ids';
import type { Region } from '../../domain/region/region';
import { REGIONS } from '../../domain/region/regions';
import { ClosedSeason, isClosedFor, OpenFailedNote, useAnalyst, useOpenedImage, useWorkTab } from '../analysis';
import { openSignIn } from '../auth';
import { useRegions, useTitle } from '../shell';
import { LINEAR_VERSION } from '../../domain/analysis/labelling/linear-flow';
import { Labelling } from './Labelling';
import { useDeferred } from './use-deferred';
import { useWorkAhead } from './use-work-ahead';
import type { LinearHost } from './linear/linear-host';
import styles from './LabellingPage.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account' | 'usage'>;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  /** Version of the address, such as 2.4; undefined: that of the work, else of the region. */
  readonly version: number | undefined;
  /** Event handle of the address. */
  readonly event: string | undefined;
  /** Opens another photograph in this screen. */
  readonly onGo: (image: TraceImage) => void;
  /** Older linear flow around the screen, if it is shown in one. */
  readonly linear?: LinearHost;
}

/** Screen `analysis-ml-labels` (2§2): one photograph, labelled outline by outline. */
export function LabellingPage(props: Props) {
  useTitle('Label the reef');
  const { uid, roles } = useAnalyst(props.repositories);
  const isClosed = isClosedFor(roles);
  const isSignedOut = uid === null && roles !== null && !isClosed;
  useEffect(() => {
    // 2§2: "The overlay shows if the user is missing".
    if (isSignedOut) openSignIn();
  }, [isSignedOut]);
  if (isClosed) {
    return (
      <main className={styles.opening}>
        <ClosedSeason />
        <p>
          <Link to="/analysis">Back to Analyse</Link>
        </p>
      </main>
    );
  }
  return roles === null ? <Opening /> : <OpenedLabelling {...props} uid={uid} roles={roles} />;
}

function Opening() {
  return (
    <main className={styles.opening}>
      <p role="status">Opening the photograph and its outlines.</p>
    </main>
  );
}

type OpenedProps = Props & { readonly uid: string | null; readonly roles: PersonRoles };

function OpenedLabelling(props: OpenedProps) {
  const { repositories, surveyId, imageId, version, event, onGo, linear, uid, roles } = props;
  const { analyses, regions } = repositories.census;
  const { isExpert } = roles;
  const known = useRegions(regions);
  const navigate = useNavigate();
  const read = useMemo(() => readerAs(version, known, isExpert), [version, known, isExpert]);
  const shown = useOpenedImage(analyses, { surveyId, imageId, uid }, read);
  const { key, opened, retry } = shown;
  const tab = useWorkTab(analyses, 'labels', shown.imageId, retry);
  const { readAhead, take } = useWorkAhead(
    analyses,
    useMemo(() => readerAs(undefined, known, isExpert), [known, isExpert]),
  );
  const deferred = useDeferred();
  const go = (image: TraceImage): void => {
    const ahead = linear === undefined ? take(image) : null;
    if (ahead === null) return onGo(image);
    shown.show(image, ahead.stored, () => analyses.confirmLabelling(image));
    // The photograph is there a frame before its address.
    deferred.run(() => onGo(image));
  };
  if (opened.status === 'opening') return <Opening />;
  if (opened.status === 'failed') {
    return (
      <main className={styles.opening}>
        <h1>The photograph cannot be opened</h1>
        <OpenFailedNote error={opened.error} title="This photograph could not be read" onRetry={retry} />
      </main>
    );
  }
  const { image, stored } = opened;
  if (linear !== undefined && stored.version !== LINEAR_VERSION) {
    return (
      <main className={styles.opening}>
        <h1>Labelled in other steps</h1>
        <p>This photograph has an analysis of version {stored.version}, which has other questions.</p>
        <p>
          <Link
            to="/analysis/ml/$survey/$id/{-$event}"
            params={{ survey: surveyId, id: imageId }}
            search={{ version: stored.version }}
          >
            Open it in its own steps
          </Link>
        </p>
        <p>
          <Link to="/analysis/steps">Open another photograph</Link>
        </p>
      </main>
    );
  }
  return (
    <Labelling
      key={key}
      repositories={repositories}
      image={image}
      work={stored}
      version={labelVersion(stored.version)}
      askedVersion={shown.isEarly ? undefined : version}
      regionName={regionOf(known, image).regionName}
      event={event}
      uid={uid}
      tab={tab}
      isExpert={isExpert}
      onSignIn={openSignIn}
      onLeave={() => void navigate({ to: '/analysis' })}
      onGo={go}
      onOffer={readAhead}
      linear={linear}
    />
  );
}

/** Reads the work on a photograph; new work has the version of an address. */
const readerAs =
  (asked: number | undefined, known: readonly Region[], isExpert: boolean) =>
  (from: AnalysisRepository, image: TraceImage): Promise<LabellingWork> =>
    from.labelling(image, { version: versionFor(asked, regionOf(known, image), isExpert).version, isExpert });

const regionOf = (regions: readonly Region[], { survey: { regionId } }: TraceImage): Region =>
  regions.find((region) => region.regionId === regionId) ?? REGIONS.gbr;

/**
 * Version for new work: that of the address, else the region's (2§4 "Region config may pick the version"). The tools of
 * an expert version are for experts.
 */
function versionFor(asked: number | undefined, region: Region, isExpert: boolean): LabelVersion {
  const wanted = asked === undefined ? null : labelVersion(asked);
  if (wanted !== null && wanted.version === asked && (isExpert || !wanted.isExpert)) return wanted;
  return labelVersion(isExpert ? region.expertAnalysisVersion : region.analysisVersion);
}
