import { request } from 'node:https';
import { Readable } from 'node:stream';
import { type KeyPairFiles, peerOptionsOf, readCertificate } from '#api/shared/http/tls/key-pair.js';
import { InvalidConfiguration } from '#infra/platform/config/configuration.js';
import { CommandFailed } from './command-failed.js';

/** The part of `fetch` that commands use. */
export type Fetch = (
  url: string,
  request: Readonly<{ method: string; headers: Readonly<Record<string, string>>; body?: string }>,
) => Promise<Response>;

const WITHOUT_BODY = [204, 304];
/** Maximum time without data from a server, as in Node's own `fetch`: milliseconds. */
const LONGEST_SILENCE = 300_000;

/**
 * Calls a server that has this certificate, issued for the name by which others find it. Node's own `fetch` cannot do that.
 * @throws CommandFailed the certificate cannot be read
 */
export const fetchFrom = async (files: Pick<KeyPairFiles, 'certFile'>): Promise<Fetch> => {
  const shown = await readCertificate(files).catch((error: unknown) => {
    throw error instanceof InvalidConfiguration ? new CommandFailed(error.message) : error;
  });
  const options = { ...peerOptionsOf(shown), agent: false as const, timeout: LONGEST_SILENCE };
  return (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const asked = request(url, { ...options, method, headers }, (answer) => {
        const { statusCode: status = 500, statusMessage: statusText = '' } = answer;
        const said = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
          typeof value === 'string' ? [[name, value]] : [],
        );
        const content = WITHOUT_BODY.includes(status) ? null : Readable.toWeb(answer);
        resolve(new Response(content, { status, statusText, headers: said }));
      });
      asked.once('timeout', () => asked.destroy(new Error(`no data for ${LONGEST_SILENCE / 1_000} s`)));
      asked.once('error', reject).end(body);
    });
};
