import { expect, test } from 'vitest';
import { REGIONS } from '../../../domain/region/regions';
import { reportActions, type ReportPlace, type ReportStep } from './report-actions';
import { parseAddress } from './report-address';

const REST = { latitude: -17, longitude: 147, zoom: 8 };

/** Addresses that the steps opened, from the subroute `priority`; none is drawn in between. */
function opened(take: (actions: ReturnType<typeof reportActions>) => void): readonly ReportPlace[] {
  const latest: { current: ReportStep } = {
    current: { datasetId: 'grc6', isPriority: true, address: parseAddress({}, true, REGIONS.gbr, 'grc6') },
  };
  const places: ReportPlace[] = [];
  take(reportActions(latest, (place) => places.push(place)));
  return places;
}

test('3§4 a map that comes to rest before a step is drawn does not undo the step', () => {
  const [, reef] = opened(({ setReef, setPlace }) => {
    setReef('gbr-16-071');
    setPlace(REST);
  });
  expect(reef).toMatchObject({ datasetId: 'grc6', query: { reef: 'gbr-16-071', at: '-17.0000,147.0000,8.0' } });
  const [, dataset] = opened(({ setDataset, setPlace }) => {
    setDataset('grc5');
    setPlace(REST);
  });
  expect(dataset).toMatchObject({ datasetId: 'grc5', isPriority: false, query: { at: '-17.0000,147.0000,8.0' } });
});

test('3§4 a reef that is picked before the rest of the map is drawn keeps the place', () => {
  const [, reef] = opened(({ setPlace, setReef }) => {
    setPlace(REST);
    setReef('gbr-16-071');
  });
  expect(reef?.query).toMatchObject({ reef: 'gbr-16-071', at: '-17.0000,147.0000,8.0' });
});
