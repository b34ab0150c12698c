import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A photograph in a canvas of its size, once a button is tapped; the page's title is `shown` from then on. */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rival</title>
<meta name="viewport" content="width=device-width">
<style>body { margin: 0 } canvas { width: 1000px } button { position: fixed; width: 200px; height: 60px }</style>
<button>Next Image</button><script type="module">
const blob = await (await fetch('/picture')).blob();
document.querySelector('button').addEventListener('click', async () => {
  const picture = await createImageBitmap(blob);
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext('2d').drawImage(picture, 0, 0);
  picture.close();
  document.querySelector('canvas')?.remove();
  document.body.append(canvas);
  document.title = 'shown';
});
document.title = 'ready';
</script></html>`;

/**
 * Page that decodes a picture which it has in memory, and shows it in a canvas. It leaves out a store, a route, zoom,
 * outlines and whatever else a screen has.
 */
export async function serveCanvasPicture(
  picture: Buffer,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((request, response) =>
    request.url === '/picture'
      ? response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture)
      : response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
