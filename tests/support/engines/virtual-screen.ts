import { startGuarded } from './guarded-process';

/** Screen without a monitor (Xvfb) for engines that draw in real windows. */
export interface VirtualScreen {
  /** Environment of programs that draw on it. */
  readonly env: NodeJS.ProcessEnv;
  readonly close: () => Promise<void>;
}

export async function openVirtualScreen(): Promise<VirtualScreen> {
  const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
  const server = startGuarded('Xvfb', args, process.env);
  const display = await new Promise<string>((resolve, reject) => {
    server.reports.once('data', (bytes: Buffer) => resolve(bytes.toString('utf8').trim()));
    server.reports.once('end', () => reject(new Error('Xvfb did not start; set-up installs it (Debian’s xvfb).')));
  });
  return {
    env: { ...process.env, DISPLAY: `:${display}`, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1', MOZ_ENABLE_WAYLAND: '0' },
    close: server.end,
  };
}
