/** Doubles of the providers on loopback: each speaks its provider's protocol, and lies where a test asks for it. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWTPayload } from 'jose';
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';
import type { ProviderId } from '../../../src/protocol/accounts';

/** Signed-in user of the double. */
export interface Double {
  readonly subject: string;
  readonly email?: string;
  /** True if Google checked the address; for GitHub, the primary one. */
  readonly verified?: boolean;
  /** Google: the organisation that hosts the mailbox. */
  readonly hd?: string;
}

export interface ProviderDouble {
  readonly id: ProviderId;
  readonly url: string;
  readonly clientId: string;
  readonly secret: string;
  /** Next person to press "allow". */
  person: Double;
  /** Changes the claims of the id_tokens, or their signature. */
  lie: { readonly claims?: (claims: JWTPayload) => JWTPayload; readonly sign?: 'none' | 'other-key' | 'hmac' };
  /** Failure apart from its protocol: no answer, or a redirect. */
  trouble: 'none' | 'down' | 'redirects';
  /** True if its page asks with a button and isolates itself from its opener (`Cross-Origin-Opener-Policy`). */
  cutsOff: boolean;
  /** Requests for tokens and profiles, as received. */
  readonly asked: {
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly params: URLSearchParams;
  }[];
  close(): Promise<void>;
}

interface Grant {
  readonly person: Double;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string | null;
}

/** Starts a double; it checks what the real provider is known to check. */
export async function startProvider(id: ProviderId): Promise<ProviderDouble> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const stranger = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, Double>();
  let count = 0;

  const idToken = async ({ person, nonce }: Grant): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const honest: JWTPayload = {
      iss: double.url,
      aud: double.clientId,
      azp: double.clientId,
      sub: person.subject,
      iat: now,
      exp: now + 3600,
      nonce: nonce ?? undefined,
      ...(person.email === undefined ? {} : { email: person.email, email_verified: person.verified === true }),
      ...(person.hd === undefined ? {} : { hd: person.hd }),
    };
    const claims = double.lie.claims?.(honest) ?? honest;
    if (double.lie.sign === 'none') return new UnsecuredJWT(claims).encode();
    // Public key used as a secret: a classic mistake of verifiers.
    if (double.lie.sign === 'hmac')
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
        .sign(Buffer.from(JSON.stringify(jwk)));
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
      .sign(double.lie.sign === 'other-key' ? stranger.privateKey : privateKey);
  };

  /** Answers with status and JSON. */
  const answer = async (
    request: IncomingMessage,
    path: string,
    params: URLSearchParams,
  ): Promise<readonly [number, unknown]> => {
    if (path === '/keys') return [200, { keys: [jwk] }];
    if (path === '/token') {
      const basic = `Basic ${Buffer.from(`${double.clientId}:${double.secret}`).toString('base64')}`;
      const shown =
        id === 'twitter' ? request.headers.authorization === basic : params.get('client_secret') === double.secret;
      const grant = codes.get(params.get('code') ?? '');
      codes.delete(params.get('code') ?? '');
      const isHolder =
        createHash('sha256')
          .update(params.get('code_verifier') ?? '')
          .digest('base64url') === grant?.challenge;
      const isGood =
        request.method === 'POST' &&
        shown &&
        params.get('client_id') === double.clientId &&
        params.get('grant_type') === 'authorization_code' &&
        params.get('redirect_uri') === grant?.redirectUri &&
        isHolder;
      // GitHub reports errors with 200.
      if (!isGood || grant === undefined)
        return [id === 'github' ? 200 : 400, { error: id === 'github' ? 'bad_verification_code' : 'invalid_grant' }];
      const access = `access-${++count}`;
      tokens.set(access, grant.person);
      return [
        200,
        { access_token: access, token_type: 'bearer', ...(id === 'google' ? { id_token: await idToken(grant) } : {}) },
      ];
    }
    const access = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const person = tokens.get(access);
    if (person === undefined) return [401, { error: 'invalid_token' }];
    if (id === 'facebook') {
      if (params.get('appsecret_proof') !== createHmac('sha256', double.secret).update(access).digest('hex'))
        return [400, { error: { message: 'Invalid appsecret_proof' } }];
      return [200, { id: person.subject, ...(person.email === undefined ? {} : { email: person.email }) }];
    }
    if (id === 'twitter') return [200, { data: { id: person.subject, name: 'T', username: 't' } }];
    if (path === '/emails')
      return [
        200,
        [
          { email: 'second@example.net', primary: false, verified: true },
          ...(person.email === undefined
            ? []
            : [{ email: person.email, primary: true, verified: person.verified === true }]),
        ],
      ];
    return [200, { id: Number(person.subject), login: 'g', email: 'public@example.net' }];
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', double.url);
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      if (url.pathname === '/authorize') {
        const { searchParams: asked } = url;
        const code = `code-${++count}`;
        codes.set(code, {
          person: double.person,
          redirectUri: asked.get('redirect_uri') ?? '',
          challenge: asked.get('code_challenge') ?? '',
          nonce: asked.get('nonce'),
        });
        const back = new URL(asked.get('redirect_uri') ?? '');
        back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
        if (double.cutsOff)
          response
            .writeHead(200, { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' })
            .end(
              `<!doctype html><html lang="en"><title>${id}</title><a href="${back.href.replaceAll('&', '&amp;')}">Allow</a>`,
            );
        else response.writeHead(302, { location: back.href }).end();
        return;
      }
      const params = request.method === 'POST' ? new URLSearchParams(body) : url.searchParams;
      double.asked.push({ path: url.pathname, headers: request.headers, params });
      if (double.trouble === 'down') return void response.writeHead(503).end();
      if (double.trouble === 'redirects')
        return void response.writeHead(307, { location: `${double.url}/elsewhere` }).end();
      answer(request, url.pathname, params).then(
        ([status, json]) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const double: ProviderDouble = {
    id,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: `client-of-${id}`,
    secret: `secret-of-${id}`,
    person: { subject: '1' },
    lie: {},
    trouble: 'none',
    cutsOff: false,
    asked: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return double;
}

/** Cloud settings that lead to the doubles. */
export function providerEnvironment(doubles: readonly ProviderDouble[]): Record<string, string> {
  return Object.fromEntries(
    doubles.flatMap(({ id, clientId, secret, url }) => [
      [`PROVIDER_${id.toUpperCase()}_ID`, clientId],
      [`PROVIDER_${id.toUpperCase()}_SECRET`, secret],
      [`PROVIDER_${id.toUpperCase()}_ENDPOINTS`, url],
    ]),
  );
}
