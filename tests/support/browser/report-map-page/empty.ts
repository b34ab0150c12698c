import { Map as MapLibre, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

setWorkerUrl(workerUrl);
// A server of ours allows no style in the page.
Object.assign(document.getElementById('app')?.style ?? {}, { position: 'absolute', inset: '0' });
const map = new MapLibre({
  container: 'app',
  style: {
    version: 8,
    sources: {},
    layers: [{ id: 'sea', type: 'background', paint: { 'background-color': '#d9ecee' } }],
  },
  center: [148, -18],
  zoom: 5,
});
map.once('load', () => performance.mark('map-drawn'));
