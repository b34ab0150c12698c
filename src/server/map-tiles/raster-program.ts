// Program of the process that cuts rasters into tiles; started by `raster-process.ts` for one request.
import { restrictSharp } from '../variants/make-picture';
import type { BlockRequest } from './raster-block';
import { cutBlock } from './raster-block';
import { decodeRaster } from './raster-picture';
import type { RasterRequest } from './raster-process';

restrictSharp();
// Ends with the server that started it, also if that is killed.
process.once('disconnect', () => process.exit());
process.once('message', (request: RasterRequest) => {
  const work = isDecoding(request) ? decodeRaster(request.file, request.target, request.size) : cutBlock(request);
  work.then(
    (block) => process.send?.({ block: block ?? null }, () => process.disconnect()),
    (error: unknown) =>
      process.send?.({ why: error instanceof Error ? error.message : String(error) }, () => process.disconnect()),
  );
});

function isDecoding(request: RasterRequest): request is Exclude<RasterRequest, BlockRequest> {
  return request.kind === 'decode';
}
