import type { PhotographView, Repositories, SurveyView } from '../../../data/repositories';
import { SURVEY_LIMITS } from '../../../domain/limits/survey';
import { reefLabel } from '../../../domain/reef/reef-label';
import type { RegionId } from '../../../domain/region/region-id';
import { bandOf, SITE_TYPES, type LogEdits } from '../../../domain/survey/log';
import { TIMES_OF_DAY } from '../../../domain/survey/rules';
import { Combo } from '../../../ui/controls/Combo';
import { Select } from '../../../ui/controls/Select';
import { DeleteSurvey } from './DeleteSurvey';
import { withRestSaved } from './DiveFields';
import type { LogDraftView } from './log-draft';
import styles from './LogForm.module.css';
import { PositionField } from './PositionField';
import { useReefs } from './ReefField';
import { closedRegionsText, openRegions } from './region-options';
import { TextEntry } from './TextEntry';
import { useRegionConfig, useRegions } from '../../shell';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge'>;
  readonly survey: SurveyView;
  readonly images: readonly PhotographView[];
  readonly log: LogDraftView;
  readonly regionId: RegionId;
  readonly enter: (edits: LogEdits) => void;
  readonly leave: () => void;
}

/** Fields that are rarely needed: site, position, camera, time of day, region; and deletion. */
export function MoreFields({ repositories, survey, images, log, regionId, enter, leave }: Props) {
  const {
    edge,
    census: { surveys, reefs, regions: regionRepository },
  } = repositories;
  const { values, entered, faults } = log;
  const table = useReefs(reefs, regionId);
  const regions = useRegions(regionRepository);
  const region = useRegionConfig(regionRepository, regionId);
  return (
    <div className={styles.more}>
      <Select
        label="Site type"
        options={SITE_TYPES.map((siteType) => ({ value: siteType, label: siteType }))}
        value={SITE_TYPES.find((type) => type === values.siteType) ?? null}
        onChange={(siteType) => enter({ siteType })}
        placeholder={values.siteType ?? 'Choose'}
      />
      <TextEntry
        label="Site"
        value={entered.siteName ?? values.siteName}
        onEnter={(siteName) => enter({ siteName })}
        onLeave={leave}
        maxLength={SURVEY_LIMITS.nameMax}
        help="Such as “Site 3” or a mooring."
      />
      <PositionField
        edge={edge}
        region={region}
        table={table}
        reefId={values.reefId}
        point={values.point}
        isConfirmed={values.isPointConfirmed}
        entered={faults.point === undefined ? undefined : entered.point}
        error={withRestSaved(faults.point)}
        onEnter={(point) => enter({ point })}
        onConfirm={() => enter({ isPointConfirmed: true })}
        onReef={(reef) => enter({ reef: { text: reefLabel(reef), picked: reef } })}
        onLeave={leave}
      />
      <CameraField camera={entered.camera ?? values.camera} images={images} onEnter={(camera) => enter({ camera })} />
      <Select
        label="Time of day"
        options={TIMES_OF_DAY.map((band) => ({ value: band, label: band[0]?.toUpperCase() + band.slice(1) }))}
        value={values.timeofday}
        onChange={(timeofday) => enter({ timeofday })}
        help={values.timeofday !== null && values.timeofday === bandOf(values.timeIn) ? 'From the time in.' : undefined}
      />
      <Select
        label="Region"
        options={openRegions(regions)}
        value={regionId}
        onChange={(region) => enter({ regionId: region })}
        help={closedRegionsText(regions)}
        error={faults.regionId}
      />
      <DeleteSurvey surveys={surveys} survey={survey} photographs={images.length} />
    </div>
  );
}

function CameraField({
  camera,
  images,
  onEnter,
}: {
  readonly camera: string;
  readonly images: readonly PhotographView[];
  readonly onEnter: (camera: string) => void;
}) {
  const cameras = [...new Set(images.flatMap(({ camera: made }) => (made?.model === undefined ? [] : [made.model])))];
  const suggestions = cameras.filter(
    (model) => model !== camera && model.toLowerCase().includes(camera.trim().toLowerCase()),
  );
  return (
    <Combo
      label="Camera"
      items={suggestions.map((model) => ({ id: model, name: model, detail: 'from the photographs' }))}
      text={camera}
      onText={onEnter}
      onPick={onEnter}
      empty="Your text is saved as written."
    />
  );
}
