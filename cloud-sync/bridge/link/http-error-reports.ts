import { z } from 'zod';
import type { ErrorLog } from '../../../src/protocol/cloud-http';
import { errorLogSchema } from '../../../src/protocol/cloud-http';
import type { WaitingReports } from '../../../src/protocol/edge-http';
import { nullIfNotFound, parseReply } from './http-edge';
import type { HttpLink } from './http-link';
import type { ErrorReportApi } from './node-apis';

const waitingSchema = z.looseObject({ reports: z.array(z.object({ n: z.int().min(0), report: errorLogSchema })) });

export class HttpErrorReports implements ErrorReportApi {
  readonly #edge: HttpLink;
  readonly #cloud: HttpLink;

  constructor(edge: HttpLink, cloud: HttpLink) {
    this.#edge = edge;
    this.#cloud = cloud;
  }

  async waiting(signal?: AbortSignal): Promise<WaitingReports['reports']> {
    const answer = await nullIfNotFound(this.#edge.json({ method: 'GET', path: '/edge/log', signal }));
    return answer === null ? [] : parseReply<WaitingReports>(waitingSchema, answer).reports;
  }

  async send(report: ErrorLog, signal?: AbortSignal): Promise<void> {
    await this.#cloud.json({ method: 'POST', path: '/api/log', json: report, signal });
  }

  async markSent(n: number, signal?: AbortSignal): Promise<void> {
    await this.#edge.json({ method: 'POST', path: '/edge/log/sent', json: { n }, signal });
  }
}
