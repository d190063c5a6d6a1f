import type { Attack, Outcome } from '#test/attack/attack.js';
import type { Cleanup } from '#test/support/cleanup.js';
import { embedded } from '#test/support/deployments.js';
import { startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { plantSecrets } from '#test/support/secrets/journey.js';
import { Markers } from '#test/support/secrets/markers.js';
import { mistakesWith } from '#test/support/secrets/mistakes.js';
import { bytesOfFiles } from '#test/support/secrets/stored-bytes.js';
import { httpClient } from '#test/support/status-client.js';

const serve = async (cleanup: Cleanup) => {
  const { environment, dataDirectory, dispose } = await embedded();
  cleanup.defer(dispose);
  const issuer = await startOidcIssuer();
  cleanup.defer(() => issuer.stop());
  const options = { ...environment, LOGBOOK_OIDC_ISSUERS: issuer.url, LOGBOOK_ACCESS_LOG: 'true', LOGBOOK_LOG_LEVEL: 'debug' };
  const server = await startLogbook(options);
  cleanup.defer(() => server.stop());
  return { server, issuer, dataDirectory };
};

const outcome = (attempts: number, traces: readonly string[], held: string): Outcome => ({
  held: traces.length === 0,
  attempts,
  detail: traces.length === 0 ? held : `found in the open: ${traces.join('; ').slice(0, 500)}`,
});

/** Somebody gets the disk of a running server, freed pages and all, but not its keys. */
const readingTheDisk: Attack = {
  name: 'secrets are looked for in the files of the data directory',
  run: async (cleanup) => {
    const { server, issuer, dataDirectory } = await serve(cleanup);
    const markers = new Markers();
    const { remove } = await plantSecrets(server.url, issuer, markers);
    const before = markers.tracesIn(await bytesOfFiles(dataDirectory));
    await remove();
    const after = markers.tracesIn(await bytesOfFiles(dataDirectory));
    await server.stop();
    const atRest = markers.tracesIn(await bytesOfFiles(dataDirectory));
    return outcome(
      markers.count,
      [...before, ...after, ...atRest],
      'none of them there as text, UTF-16, base64 or hex, before and after deletion',
    );
  },
};

/** Somebody gets the log lines, or looks over the shoulder of a caller whose calls are refused. */
const readingTheLogLines: Attack = {
  name: 'secrets are looked for in log lines and error bodies',
  run: async (cleanup) => {
    const { server, issuer } = await serve(cleanup);
    const markers = new Markers();
    const root = httpClient(server.url);
    await plantSecrets(server.url, issuer, markers);
    const mistakes = mistakesWith(markers);
    const answers: string[] = [];
    for (const [method, path, call] of mistakes) answers.push((await root.call(method, path, call)).text);
    answers.push((await root.get('/metrics', { accept: '*/*' })).text);
    await server.stop();
    const traces = markers.tracesIn(Buffer.from([...answers, ...server.lines].join('\n')));
    return outcome(markers.count, traces, `in none of ${server.lines.length} lines, ${mistakes.length} refusals and the metrics`);
  },
};

export const attacks: readonly Attack[] = [readingTheDisk, readingTheLogLines];
