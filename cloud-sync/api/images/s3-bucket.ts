import fs from 'node:fs';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ReefError } from '../../../src/domain/errors';
import type { S3Settings } from '../settings';

export interface BucketObject {
  readonly bytes: number;
  /** ETag without quotes; on most servers the MD5 of objects put in one piece. */
  readonly etag: string;
}

/** Connection timeout, ms; an active transfer is not cut. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;

/** S3 bucket reduced to what photographs need: content-addressed objects, put whole, inspected, read in ranges. */
export class S3Bucket {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ endpoint, region, bucket, key, secret }: S3Settings) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      region,
      credentials: { accessKeyId: key, secretAccessKey: secret },
      // Disables the SDK's checksums: we send stronger ones, and other vendors' buckets refuse unknown ones.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // Callers do their own retries.
      maxAttempts: 1,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    });
  }

  /** @throws ReefError `internal`, retryable, if the bucket does not answer */
  async head(sha256: string): Promise<BucketObject | undefined> {
    try {
      const { ContentLength: bytes = 0, ETag: etag = '' } = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: keyOf(sha256) }),
      );
      return { bytes, etag: etag.replaceAll('"', '') };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw unavailableError(error);
    }
  }

  /**
   * Puts a file's bytes under their hash. The request is signed over that hash, so the bucket refuses other bytes.
   *
   * @throws ReefError `internal`, retryable
   */
  async put(sha256: string, file: string, bytes: number): Promise<void> {
    const body = fs.createReadStream(file, { highWaterMark: 256 * 1024 });
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: keyOf(sha256),
      Body: body,
      ContentLength: bytes,
      ContentType: 'application/octet-stream',
      ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
    });
    command.middlewareStack.add(
      (next) => (call) => {
        const { request } = call as { request?: { headers?: Record<string, string> } };
        if (request?.headers !== undefined) request.headers['x-amz-content-sha256'] = sha256;
        return next(call);
      },
      { step: 'build', name: 'payloadHash' },
    );
    try {
      await this.#client.send(command);
    } catch (error) {
      throw unavailableError(error);
    } finally {
      body.destroy();
    }
  }

  /** @throws ReefError `not-found`; `internal`, retryable */
  async read(sha256: string, range?: { start: number; end: number }): Promise<Readable> {
    try {
      const { Body } = await this.#client.send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: keyOf(sha256),
          ...(range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }),
        }),
      );
      return Body as Readable;
    } catch (error) {
      if (isNotFound(error)) throw new ReefError('not-found', { cause: error });
      throw unavailableError(error);
    }
  }

  /** Deletes bytes if present. @throws ReefError `internal` while the bucket is unavailable */
  async remove(sha256: string): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: keyOf(sha256) }));
    } catch (error) {
      if (!isNotFound(error)) throw unavailableError(error);
    }
  }

  close(): void {
    this.#client.destroy();
  }
}

function keyOf(sha256: string): string {
  return `blobs/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}

function isNotFound(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  // A missing bucket is a configuration error, not an empty bucket.
  return name !== 'NoSuchBucket' && (name === 'NotFound' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404);
}

function unavailableError(cause: unknown): ReefError {
  return new ReefError('internal', {
    message: 'The photograph store cannot be reached. Nothing is lost; retrying.',
    cause,
  });
}
