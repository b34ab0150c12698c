/**
 * Process with an embedded PostgreSQL, for tests that kill it: reports its address and its server's process, and keeps
 * running.
 */
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import { thisMachine } from '../../../cloud-sync/api/postgres/runner';

const [folder = '', without = ''] = process.argv.slice(2);
const machine = thisMachine();
const server = await launchPostgres({
  folder,
  machine: without === 'setpriv' ? { ...machine, setpriv: false } : machine,
});
console.log(JSON.stringify({ url: server.url, pid: server.pid, as: server.runAs }));
setInterval(() => undefined, 60_000);
