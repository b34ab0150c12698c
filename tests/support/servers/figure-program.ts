/** Process that computes the figures of a database until it is killed; a line for each. Arguments: address, kills before. */
import { FigureScene } from './figure-scene';

const census = await FigureScene.open({ databaseUrl: process.argv[2] ?? '', batchSize: 6 });
await census.settle(process.argv[3] === 'renew', (kind) => process.stdout.write(`${kind}\n`));
process.stdout.write('settled\n');
await census.close();
