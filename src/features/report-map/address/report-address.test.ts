import { expect, test } from 'vitest';
import { REGIONS } from '../../../domain/region/regions';
import {
  layersOfView,
  offeredLayers,
  offeredReference,
  parseAddress,
  queryOf,
  sharedPath,
  stepToDataset,
  stepToReef,
  stepToView,
  type ReportQuery,
} from './report-address';

const { gbr, hawaii } = REGIONS;

test('3§2 an address keeps view, tab, reef, survey, layers and place', () => {
  const queries: readonly ReportQuery[] = [
    {},
    { view: 'results', reef: 'gbr-16-071' },
    { tab: 'settings', layers: 'surveyedReefs,zoning,deepReefs' },
    { layers: 'none' },
    { reef: 'gbr-16-071', survey: 'AbCdEf012345', at: '-16.8700,146.2300,11.0' },
    { look: 'results' },
    { reference: 'raster,validation' },
    { view: 'results', reference: 'none' },
  ];
  for (const query of queries) expect(queryOf(parseAddress(query, false, gbr, 'grc6'), false)).toEqual(query);
});

test('3§2 the subroute priority opens Settings with the priority layers of the dataset on', () => {
  expect(parseAddress({}, true, gbr, 'grc4')).toMatchObject({
    tab: 'settings',
    layers: ['surveyedReefs', 'cotsPriority', 'censusPriority'],
  });
  expect(parseAddress({}, true, hawaii, 'hawaii-pilot').layers).toEqual(['surveyedReefs']);
});

test('3§2 layers and views that a region lacks are left out of an address', () => {
  expect(parseAddress({ layers: 'zoning,surveyedReefs,nonsense' }, false, hawaii, 'grc1').layers).toEqual([
    'surveyedReefs',
  ]);
  expect(parseAddress({ view: 'fish' }, false, gbr, 'grc6').view).toBe('standard');
  expect(offeredLayers(gbr, 'no-such-dataset')).toEqual(['surveyedReefs']);
});

test('3§2, 3§3 map pictures are on by default, original outlines are not, and a region may have none', () => {
  expect(parseAddress({}, false, gbr, 'grc6').reference).toEqual(['raster']);
  expect(parseAddress({ reference: 'validation,nonsense' }, false, gbr, 'grc6').reference).toEqual(['validation']);
  expect(offeredReference({ ...gbr, mapValidationLayer: '' })).toEqual(['raster']);
});

test('3§4 changing view shows the Results layer or the highlight layer', () => {
  expect(layersOfView('results')).toEqual([]);
  expect(layersOfView('standard')).toEqual(['surveyedReefs']);
  expect(layersOfView('fish')).toEqual(['surveyedReefs']);
});

const OPEN: ReportQuery = {
  tab: 'settings',
  reef: 'gbr-16-071',
  survey: 'AbCdEf012345',
  layers: 'zoning,deepReefs',
  reference: 'validation',
  at: '-16.8700,146.2300,11.0',
};

test('3§4 changing dataset resets list, layers and route; view and place stay', () => {
  const open = parseAddress({ ...OPEN, view: 'results' }, true, gbr, 'grc6');
  expect(queryOf(stepToDataset(open), false)).toEqual({ view: 'results', at: OPEN.at });
  const standard = parseAddress(OPEN, true, gbr, 'grc6');
  expect(queryOf(stepToDataset(standard), false)).toEqual({ at: OPEN.at });
  expect(stepToDataset(standard).layers).toEqual(['surveyedReefs']);
});

test('3§4 changing view clears layers, tab and survey; the reef stays', () => {
  const open = parseAddress(OPEN, true, gbr, 'grc6');
  const { reef, at } = OPEN;
  expect(queryOf(stepToView(open, 'results'), false)).toEqual({ view: 'results', reef, at });
  const back = stepToView(parseAddress({ view: 'results', layers: 'zoning' }, false, gbr, 'grc6'), 'standard');
  expect([queryOf(back, false), back.layers]).toEqual([{}, ['surveyedReefs']]);
});

test.each(['', 'x', '1,2', '91,0,3', '-16,200,3', '-16,146,99', '1,2,3,4'])(
  '3§2 a place that is not on the map is ignored: %s',
  (at) => {
    expect(parseAddress({ at }, false, gbr, 'grc6').place).toBeNull();
  },
);

test.each(['constructor', '__proto__', 'toString'])(
  '3§2 an address with the dataset %s offers no further layers',
  (id) => {
    expect(offeredLayers(gbr, id)).toEqual(['surveyedReefs']);
    expect(parseAddress({}, true, gbr, id).layers).toEqual(['surveyedReefs']);
  },
);

test('3§2 a reef that is picked while Settings is open shows its surveys', () => {
  const settings = parseAddress({ tab: 'settings', survey: 'AbCdEf012345' }, false, gbr, 'grc6');
  expect({ ...settings, ...stepToReef('gbr-16-071') }).toMatchObject({
    reef: 'gbr-16-071',
    survey: null,
    tab: 'surveys',
  });
  const priority = { ...parseAddress({}, true, gbr, 'grc6'), ...stepToReef('gbr-16-071') };
  expect(parseAddress(queryOf(priority, true), true, gbr, 'grc6').tab).toBe('surveys');
});

test('3§2 the shared address of the subroute priority opens its layers again', () => {
  const shown = parseAddress({}, true, gbr, 'grc6');
  const path = sharedPath('gbr', 'grc6', true);
  expect(path).toBe('/gbr/detailed-reporting/grc6/priority');
  expect(parseAddress(queryOf(shown, true), path.endsWith('/priority'), gbr, 'grc6')).toEqual(shown);
  expect(sharedPath('gbr', 'a b', false)).toBe('/gbr/detailed-reporting/a%20b');
});
