import { setTimeout as pause } from 'node:timers/promises';

/** Key of an element's id in answers, fixed by the W3C. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const START_LIMIT_MS = 60_000;
/** Limit for one answer: an engine whose page hangs may give none. */
const ANSWER_LIMIT_MS = 60_000;

type Answer = { readonly value: unknown };

/** Session of W3C WebDriver: JSON over HTTP, one request for each command. */
export class WebDriverSession {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly #base: string;

  private constructor(base: string, capabilities: Readonly<Record<string, unknown>>) {
    this.#base = base;
    this.capabilities = capabilities;
  }

  /** Opens a session as soon as the driver listens. */
  static async open(driver: string, alwaysMatch: Readonly<Record<string, unknown>>): Promise<WebDriverSession> {
    for (const end = Date.now() + START_LIMIT_MS; ; await pause(50)) {
      const isReady = await fetch(`${driver}/status`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (isReady) break;
      if (Date.now() > end) throw new Error(`no WebDriver answers at ${driver}`);
    }
    const { sessionId, capabilities } = (await send('POST', `${driver}/session`, {
      capabilities: { alwaysMatch },
    })) as { sessionId: string; capabilities: Record<string, unknown> };
    return new WebDriverSession(`${driver}/session/${sessionId}`, capabilities);
  }

  /** Sends a command with a body. */
  post(command: string, body: object = {}): Promise<unknown> {
    return send('POST', `${this.#base}${command}`, body);
  }

  /** Sends a command without a body. */
  get(command: string): Promise<unknown> {
    return send('GET', `${this.#base}${command}`);
  }

  /** Id of the first element of a selector. */
  async elementOf(selector: string): Promise<string> {
    return idOf(await this.post('/element', { using: 'css selector', value: selector }));
  }

  /** Id of the focused element. */
  async focused(): Promise<string> {
    return idOf(await this.get('/element/active'));
  }
}

function idOf(value: unknown): string {
  return (value as Record<string, string>)[ELEMENT] ?? '';
}

async function send(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { value } = (await answer.json()) as Answer;
  if (answer.ok) return value;
  const { error, message } = value as { error: string; message: string };
  throw new Error(`${method} ${new URL(url).pathname}: ${error} ${message}`);
}
