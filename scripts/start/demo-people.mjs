// Sign-ins ashore for each role of a demo, through the service's own sign-in.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../setup.mjs';

/** No mail can leave for `.invalid`. */
export const DEMO_SIGN_INS = [
  { role: 'staff', email: 'staff@demo.invalid' },
  { role: 'volunteer', email: 'volunteer@demo.invalid' },
];
const TIMEOUT_MS = 20_000;

/**
 * Creates the accounts by signing in once, and makes the first one staff.
 *
 * @param url of the cloud
 * @param nextCode resolves with the next login code in the log (`DEMO`)
 */
export async function createSignIns(url, env, nextCode) {
  for (const { role, email } of DEMO_SIGN_INS) {
    const code = nextCode(TIMEOUT_MS);
    // Awaited below; an earlier rejection must not count as unhandled.
    code.catch(() => undefined);
    await post(`${url}/api/fn/send-user-login-code`, { email, path: '/' });
    const { token } = await post(`${url}/api/fn/verify-user-login-code`, { email, verificationCode: await code });
    await post(`${url}/api/auth/custom-token`, { token });
    if (role === 'staff') await grantStaffRole(email, env);
  }
}

async function post(url, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const reply = await answer.json();
  if (!answer.ok || reply.ok !== true)
    throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${reply.error?.message ?? ''}`);
  return reply;
}

/** No network call can make anyone staff. */
function grantStaffRole(email, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(ROOT, 'dist', 'cloud', 'server.mjs'), 'staff', email], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
    });
    let stderr = '';
    child.stderr.on('data', (part) => (stderr += part));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`no staff was made: ${stderr.trim()}`))));
  });
}
