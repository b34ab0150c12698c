import { useState } from 'react';
import type { Repositories, ReportImage, ReportRepository } from '../../../data/repositories';
import type { RegionId } from '../../../domain/region/region-id';
import { Button } from '../../../ui/controls/Button';
import { MapPackDialog } from '../../map-packs';
import { takenTables } from '../data/taken-tables';
import type { ReportData } from '../data/use-report';

interface Props {
  readonly packs: Repositories['edge']['packs'];
  readonly report: ReportRepository;
  readonly data: ReportData;
  readonly regionId: RegionId;
  readonly datasetId: string;
}

/** Button that opens the download of the map with its tables, survey cards and small pictures. */
export function TakeAlong({ packs, report, data, regionId, datasetId }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const { meta, dataset, surveyed } = data;
  if (meta.value === null) return null;
  return (
    <>
      <Button icon="map" onPress={() => setIsOpen(true)}>
        Take this map along
      </Button>
      <MapPackDialog<ReportImage>
        mapId={`${regionId} ${datasetId}`}
        packs={packs}
        // An archive of a release is for other programs: the map paints the table.
        items={meta.value.layers.filter(({ kind }) => kind !== 'results')}
        reads={{
          tables: takenTables(report, regionId, meta.value),
          surveysOf: (featureId) => report.surveys({ regionId, featureId, datasetId }),
          imagesOf: (surveyId) => report.images(surveyId),
          smallPicture: (image) => report.taken.takePicture(regionId, image),
          requireStored: report.taken.requireStored,
          storedReefs: async () => (await report.taken.stored(regionId, datasetId)).reefs,
        }}
        taken={{ stored: () => report.taken.stored(regionId, datasetId), remove: () => report.taken.remove(regionId) }}
        // Surveys of this vessel are on the box.
        featureIds={surveyed.flatMap(({ featureId, surveys }) => (surveys > 0 ? [featureId] : []))}
        photographs={surveyed.reduce((sum, { images }) => sum + images, 0)}
        datasetName={dataset?.name ?? datasetId}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      />
    </>
  );
}
