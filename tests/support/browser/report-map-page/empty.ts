import { Map as MapLibre, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

setWorkerUrl(workerUrl);
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
