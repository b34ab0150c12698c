import { createHash, X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import QRCode from 'qrcode';
import { ReefError } from '../../src/domain/errors';
import type { EdgeContext } from '../context';
import type { Theme } from '../../src/domain/theme';
import { html, trustedHtml, type Html, type HtmlValue } from '../../src/server/pages/html';
import { page, themeOf, sendPage } from '../../src/server/pages/page';

type LocalCa = NonNullable<ReturnType<EdgeContext['localCa']>>;

/** `GET /edge/trust`: instructions for trusting the box, and the certificate. */
export function trustRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/edge/trust', async (request, reply) =>
    sendPage(
      reply.header('Vary', 'User-Agent, Cookie'),
      await trustPage(context, request.headers['user-agent'] ?? '', themeOf(request, reply, '/edge')),
    ),
  );

  app.get('/edge/trust/ca.crt', async (_request, reply) =>
    reply
      .type('application/x-x509-ca-cert')
      .header('Content-Disposition', 'attachment; filename="reef-box-ca.crt"')
      .send(derOf(caOf(context))),
  );

  app.get('/edge/trust/box.mobileconfig', async (_request, reply) =>
    reply
      .type('application/x-apple-aspen-config')
      .header('Content-Disposition', 'attachment; filename="reef-box.mobileconfig"')
      .send(appleProfile(context.settings.name, caOf(context))),
  );
}

/** @throws ReefError `not-found` if tablets already know the box's certificate */
function caOf(context: EdgeContext): LocalCa {
  const ca = context.localCa();
  if (ca === null)
    throw new ReefError('not-found', {
      message: 'This box has no certificate authority of its own; nothing needs to be installed.',
    });
  return ca;
}

function derOf(ca: LocalCa): Buffer {
  return Buffer.from(new X509Certificate(ca.pem).raw);
}

/** Configuration profile with only the certificate, which iPads and iPhones remove as one item. */
function appleProfile(name: string, ca: LocalCa): string {
  const id = (of: string): string => {
    const hex = createHash('sha256').update(`${of} ${ca.fingerprint}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`.toUpperCase();
  };
  const key = (word: string, value: string): Html => html`<key>${word}</key><string>${value}</string>`;
  return html`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>PayloadContent</key><array><dict>
${key('PayloadType', 'com.apple.security.root')}<key>PayloadVersion</key><integer>1</integer>
${key('PayloadIdentifier', `org.greatreefcensus.box.${id('certificate')}`)}${key('PayloadUUID', id('certificate'))}
${key('PayloadDisplayName', `${name}: certificate`)}${key('PayloadCertificateFileName', 'reef-box-ca.crt')}
<key>PayloadContent</key><data>${derOf(ca).toString('base64')}</data>
</dict></array>
${key('PayloadType', 'Configuration')}<key>PayloadVersion</key><integer>1</integer>
${key('PayloadIdentifier', `org.greatreefcensus.box.${id('profile')}`)}${key('PayloadUUID', id('profile'))}
${key('PayloadDisplayName', name)}${key('PayloadOrganization', 'Great Reef Census')}
${key('PayloadDescription', 'Lets this device trust the box aboard, and nothing on the internet.')}
</dict></plist>
`.toString();
}

/** Type of device: its steps and how it is recognised. */
interface DeviceGuide {
  readonly name: string;
  readonly userAgent: RegExp;
  readonly steps: (box: string) => readonly HtmlValue[];
  readonly file: 'crt' | 'mobileconfig';
}

const DEVICES: readonly DeviceGuide[] = [
  {
    name: 'Android',
    userAgent: /Android/,
    file: 'crt',
    steps: () => [
      'Tap “Download the certificate” above; it lands in Downloads. If the phone asks what for, choose CA certificate.',
      'Open the Settings and search for “CA certificate” (under Security, More security settings, Install from storage).',
      'Choose CA certificate, then “Install anyway”, then the file reef-box-ca.crt.',
    ],
  },
  {
    name: 'iPad and iPhone',
    userAgent: /iPad|iPhone/,
    file: 'mobileconfig',
    steps: (box) => [
      'Open this page in Safari, tap “Profile for iPad and iPhone” above and allow the download.',
      html`Settings, then “Profile Downloaded” at the top (or General, VPN &amp; Device Management): choose it and tap Install.`,
      `Settings, General, About, Certificate Trust Settings: switch full trust on for ${box}. Without this step nothing changes.`,
    ],
  },
  {
    name: 'Windows',
    userAgent: /Windows/,
    file: 'crt',
    steps: () => [
      'Open the downloaded file and choose Install Certificate, then Current User.',
      'Place it in “Trusted Root Certification Authorities”, finish, and say yes to the fingerprint.',
      'Close the browser and start it again.',
    ],
  },
  {
    name: 'Mac',
    userAgent: /Macintosh/,
    file: 'crt',
    steps: () => [
      'Open the downloaded file; Keychain Access asks where to add it: login.',
      'Find it there, open it, and under Trust choose “Always Trust”.',
      'Close the browser and start it again.',
    ],
  },
  {
    name: 'Linux',
    userAgent: /Linux(?!.*Android)/,
    file: 'crt',
    steps: () => [
      'Chrome, Chromium and Edge: Settings, Privacy and security, Security, Manage certificates, then import the file as an authority and trust it for websites.',
      html`Firefox: Settings, Privacy &amp; Security, View Certificates, Authorities, Import.`,
    ],
  },
];

async function trustPage(context: EdgeContext, userAgent: string, theme: Theme): Promise<Html> {
  const { name } = context.settings;
  const look = { of: name, theme, at: '/edge/trust' };
  const ca = context.localCa();
  if (ca === null) {
    return page(
      'Nothing to install',
      html`<section class="card"><p>${name} uses a certificate that your tablet knows already, or is only reached from this computer.</p><p class="actions"><a class="button" href="/box">Open the app</a></p></section>`,
      look,
    );
  }
  const { fingerprint } = ca;
  const mine = DEVICES.find(({ userAgent: is }) => is.test(userAgent));
  const ordered = [...DEVICES].sort((a, b) => Number(b === mine) - Number(a === mine));
  const apple = mine?.file === 'mobileconfig';
  const crt = html`<a class="button${apple ? ' line' : ''}" href="/edge/trust/ca.crt">Download the certificate</a>`;
  const profile = html`<a class="button${apple ? '' : ' line'}" href="/edge/trust/box.mobileconfig">Profile for iPad and iPhone</a>`;
  return page(
    `Trust ${name}`,
    html`<p class="lead">The app keeps photographs on the tablet and works without a connection only where the tablet trusts the box. This box made its own certificate for that. Install it once on each tablet: three steps, about two minutes.</p>
<section class="card" aria-labelledby="get"><h2 id="get">1. Get it</h2>
<p>It is a small file. Your browser may warn about this page until you are done; that is why you are here.</p>
<p class="actions">${apple ? [profile, crt] : [crt, profile]}</p></section>
<section class="card" aria-labelledby="install"><h2 id="install">2. Install it${mine === undefined ? '' : ` on this ${mine.name === 'iPad and iPhone' ? 'iPad or iPhone' : `${mine.name} device`}`}</h2>
${ordered.map(
  (device) =>
    html`<details${device === mine ? ' open' : ''}><summary>${device.name}</summary><ol>${device
      .steps(name)
      .map((step) => html`<li>${step}</li>`)}</ol></details>\n`,
)}<p class="small">The words of settings differ a little between makers; searching the settings for “certificate” finds them.</p></section>
<section class="card" aria-labelledby="compare"><h2 id="compare">3. Compare, then open the app</h2>
<div class="side"><figure>${trustedHtml(await QRCode.toString(`sha256:${fingerprint.replaceAll(':', '')}`, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' }))}</figure>
<div><p>Before you say yes, compare the fingerprint (SHA-256) that the tablet shows with the one on the box’s own screen or label:</p>
<p><code class="print">${fingerprint}</code></p>
<p class="small">The picture holds the same, to scan.</p></div></div>
<p class="actions"><a class="button" href="/box">Open the app</a></p>
<p class="small">If the browser still warns there, one step is missing: look at the list above once more.</p></section>
<section class="card" aria-labelledby="can"><h2 id="can">What it can do</h2>
<p>The certificate vouches for this box’s own names and for addresses of local networks, and for nothing on the internet. You may remove it at the end of a voyage where you installed it.</p></section>`,
    look,
  );
}
