import { expect, test } from 'vitest';
import type { ReportImage, ReportSurvey } from '../../../data/repositories';
import { imageCountText, markerName, surveyDay } from './survey-name';
import {
  cameraText,
  durationText,
  experienceText,
  positionText,
  siteText,
  surveyTitle,
  timeText,
  typeText,
} from './survey-text';

const SURVEY: ReportSurvey = {
  id: 'AbCdEf012345',
  name: 'Moore Reef',
  date: '2025-11-20',
  time: '10:40',
  type: 'scuba',
  duration: 42,
  camera: null,
  siteName: null,
  position: { latitude: -16.8647, longitude: 146.2233 },
  images: 40,
  experience: { overall: 'Good', coralBleaching: 'None' },
  isAboardOnly: false,
};
const EMPTY: ReportSurvey = {
  ...SURVEY,
  name: '',
  date: null,
  time: null,
  type: null,
  duration: null,
  position: null,
  images: null,
  experience: {},
};
const IMAGE: ReportImage = {
  id: 'a',
  surveyId: SURVEY.id,
  name: 'a.jpg',
  taken: null,
  camera: 'TG-6',
  copyright: null,
  path: null,
};

test('3§2 a survey card has its facts, or says what was not recorded', () => {
  const textsOf = (survey: ReportSurvey) => [
    imageCountText(survey, null),
    positionText(survey),
    surveyDay(survey),
    typeText(survey),
    durationText(survey),
    cameraText(survey, null),
    siteText(survey),
  ];
  expect(textsOf(SURVEY)).toEqual([
    '40 images',
    '16° 51.9′ S 146° 13.4′ E',
    'Thu 20 Nov 2025',
    'Scuba',
    '42 minutes',
    'Not recorded',
    'Moore Reef',
  ]);
  expect(new Set(textsOf(EMPTY))).toEqual(new Set(['Not recorded']));
  expect(cameraText(SURVEY, [{ ...IMAGE, camera: null }, IMAGE])).toBe('TG-6');
  expect(imageCountText(SURVEY, [IMAGE])).toBe('1 image');
  expect([surveyTitle(SURVEY), surveyTitle({ ...EMPTY, siteName: 'North wall' })]).toEqual([
    'Moore Reef',
    'North wall',
  ]);
  expect(markerName(SURVEY)).toBe('Survey of Thu 20 Nov 2025, 40 images');
});

test('3§9 a time of day is its band and the time', () => {
  expect(
    ['08:59', '10:40', '13:00', '15:00', 'late morning', null].map((time) => timeText({ ...SURVEY, time })),
  ).toEqual([
    'Early morning, 08:59',
    'Late morning, 10:40',
    'Early afternoon, 13:00',
    'Late afternoon, 15:00',
    'Late morning',
    'Not recorded',
  ]);
});

test('3§2 the survey experience has the questions that were answered', () => {
  expect(experienceText(SURVEY)).toEqual([
    { question: 'How did this reef look overall?', answer: 'Good' },
    { question: 'Was coral bleached?', answer: 'None' },
  ]);
  expect(experienceText(EMPTY)).toEqual([]);
});
