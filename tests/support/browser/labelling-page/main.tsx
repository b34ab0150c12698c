import '@fontsource/poppins/latin-500.css';
import '@fontsource/poppins/latin-600.css';
import '@fontsource-variable/work-sans/wght.css';
import '../../../../src/ui/tokens/fonts.css';
import '../../../../src/ui/tokens/base.css';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import type { AnalysisRepository, LabellingWork, TraceImage } from '../../../../src/data/repositories';
import type { LabelEdit } from '../../../../src/domain/analysis/labelling/label-marks';
import { labelVersion } from '../../../../src/domain/analysis/labelling/label-versions';
import { bySize } from '../../../../src/domain/analysis/labelling/outline-geometry';
import type { Outline } from '../../../../src/domain/analysis/labelling/outline';
import { Labelling } from '../../../../src/features/labelling/Labelling';

declare global {
  interface Window {
    /** Edits that reached the journal, and results that were saved. */
    edits: LabelEdit[];
    saved: unknown[];
    /** Error that the next save throws; null for none. */
    saveError: unknown;
  }
}
window.edits = [];
window.saved = [];
window.saveError = null;

const query = new URLSearchParams(location.search);
document.documentElement.dataset['theme'] = query.get('theme') ?? 'light';
const outlines = ((await (await fetch('/files/outlines.json')).json()) as Outline[]).toSorted(bySize);
const picture = await (await fetch('/files/picture')).blob();
const observable = <Value,>(value: Value) => ({ get: () => value, subscribe: () => () => undefined });

const image = {
  id: 'ImageOfTheTest01',
  survey: { id: 'SurveyOfTest0001', name: 'Moore Reef 16-071', regionId: 'gbr' },
  source: 'own',
  name: 'reef-1.jpg',
  latitude: -16.8,
  photographer: { name: 'Mara Lind', organisation: null },
  path: null,
  hasCorrected: false,
} as unknown as TraceImage;
const mine = { status: 'ready' as const, items: [] };
const analyses = {
  picture: () => Promise.resolve({ blob: picture, size: 2000 as const }),
  labelJournal: () => ({ apply: (edit: LabelEdit) => Promise.resolve(void window.edits.push(edit)) }),
  saveLabelling: (result: unknown) => {
    if (window.saveError !== null) return Promise.reject(window.saveError as Error);
    window.saved.push(result);
    return Promise.resolve('AnalysisOfTest01');
  },
  next: () => Promise.resolve({ image: { ...image, id: 'ImageOfTheTest02' } }),
  preload: () => Promise.resolve(),
  mine: observable(mine),
} as unknown as AnalysisRepository;
const repositories = {
  census: { analyses },
  edge: {
    link: {
      connectivity: observable({
        browserOnline: false,
        offlineByChoice: false,
        answering: 'none',
        impostor: false,
        slow: false,
        nextCheckAt: null,
      }),
      state: observable({ status: 'offline', edge: { name: 'Box of the test' } }),
    },
  },
  usage: { note: () => Promise.resolve() },
} as never;
const work: LabellingWork = {
  analysisId: null,
  version: Number(query.get('version') ?? 2.4),
  from: query.has('unfinished') ? 'unfinished' : 'nothing',
  readOnly: null,
  outlines: { source: 'model', model: 'gbr', width: 1500, height: 1050, outlines },
  logs: {},
  sessions: [],
  damaged: 0,
  isPictureChanged: false,
};

/** Only tab. */
const TAB = { isElsewhere: false, isTakingOver: false, takeOver: () => undefined, setQueue: () => undefined };

function Page() {
  return (
    <Labelling
      repositories={repositories}
      image={image}
      work={work}
      version={labelVersion(work.version)}
      askedVersion={undefined}
      regionName="Great Barrier Reef"
      event={undefined}
      uid="PersonOfTheTests"
      tab={TAB}
      isExpert={work.version >= 4}
      onSignIn={() => undefined}
      onLeave={() => undefined}
      onOffer={() => undefined}
      onGo={() => undefined}
    />
  );
}
const router = createRouter({
  routeTree: createRootRoute({ component: Page }),
  history: createMemoryHistory({ initialEntries: ['/'] }),
});
createRoot(document.querySelector('#app')!).render(<RouterProvider router={router} />);
