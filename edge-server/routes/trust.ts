import { X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import QRCode from 'qrcode';
import { ReefError } from '../../src/domain/errors';
import type { EdgeContext } from '../context';
import { escapeHtml, page } from './page';

/** `GET /edge/trust`: how a tablet comes to trust the box, and the certificate to do so. */
export function trustRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/edge/trust', async (_request, reply) => reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(await trustPage(context)));

  app.get('/edge/trust/ca.crt', async (_request, reply) => {
    const ca = context.localCa();
    if (ca === null) throw new ReefError('not-found', { message: 'This box has no certificate authority of its own; nothing needs to be installed.' });
    return reply
      .type('application/x-x509-ca-cert')
      .header('Content-Disposition', 'attachment; filename="reef-box-ca.crt"')
      .send(Buffer.from(new X509Certificate(ca.pem).raw));
  });
}

async function trustPage(context: EdgeContext): Promise<string> {
  const name = escapeHtml(context.settings.name);
  const ca = context.localCa();
  if (ca === null) {
    return page('Nothing to install', `<p>${name} uses a certificate that your tablet knows already, or is only reached from this computer. Open <a href="/">the app</a>.</p>`);
  }
  const { fingerprint } = ca;
  return page(
    `Trust ${context.settings.name}`,
    `<p>The app keeps photographs on the tablet and works without a connection only where the tablet trusts the box. This box made its own certificate for that. Install it once on each tablet.</p>
<p><a class="button" href="/edge/trust/ca.crt">Download the certificate</a></p>
<h2>Is it the right one?</h2>
<p>Before you say yes, compare the fingerprint (SHA-256) that the tablet shows with the one on the box's own screen or label:</p>
<p><code>${escapeHtml(fingerprint)}</code></p>
<figure>${await QRCode.toString(`sha256:${fingerprint.replaceAll(':', '')}`, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' })}<figcaption>The same fingerprint, to scan.</figcaption></figure>
<h2>iPad and iPhone</h2>
<ol><li>Open this page in Safari, tap the button and allow the download.</li><li>Settings, then General, then VPN &amp; Device Management: choose the profile and install it.</li><li>Settings, General, About, Certificate Trust Settings: switch full trust on for ${name}.</li></ol>
<h2>Android</h2>
<ol><li>Tap the button to save the file.</li><li>Settings, Security &amp; privacy, More security settings, Install from storage, CA certificate: choose the file. The words differ a little between makers; searching the settings for “CA certificate” finds it.</li></ol>
<h2>Windows</h2>
<ol><li>Open the file, choose Install Certificate, then Current User.</li><li>Place it in “Trusted Root Certification Authorities”, and finish. Start the browser again.</li></ol>
<h2>macOS</h2>
<ol><li>Open the file; Keychain Access asks where to add it: login.</li><li>Find it there, open it, and under Trust choose Always Trust.</li></ol>
<h2>Linux</h2>
<ol><li>Chrome and Edge: Settings, Privacy and security, Security, Manage certificates, Authorities, Import.</li><li>Firefox: Settings, Privacy &amp; Security, View Certificates, Authorities, Import.</li></ol>
<h2>What it can do</h2>
<p>The certificate vouches for this box's own names and for addresses of local networks, and for nothing on the internet. Remove it at the end of a voyage, if you like, where you installed it.</p>`,
  );
}
