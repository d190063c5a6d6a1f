import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import type { Child } from './child.js';
import type { Effort, Sample, Side } from './scenario.js';

/** A request and, for what its answer must be besides 2xx, a check of the headers. */
export type LoadRequest = Readonly<{
  method: 'GET' | 'PUT' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** The presence of this header in an answer is a failure. */
  unwantedHeader?: string;
}>;

export const CONNECTIONS = 64;

/**
 * 64 connections, each with one request at a time, for one slice. `requestsOf` says what each connection (0 to 63) asks for, over and over
 * until the end of the slice (0, 1, …).
 * @throws when any answer is not as it must be
 */
export const httpLoad = (
  server: Child,
  effort: Effort,
  requestsOf: (connection: number, slice: number) => readonly LoadRequest[],
): Side => {
  let slice = 0;
  return async () => {
    let connection = 0;
    let unwanted = 0;
    const prepared = ({ method, path, headers, body, unwantedHeader }: LoadRequest) => ({
      method,
      path,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      ...(unwantedHeader === undefined
        ? {}
        : {
            onResponse: (_status: number, _body: string, _context: object, answered: Record<string, string>) => {
              if (unwantedHeader in answered) unwanted++;
            },
          }),
    });
    const cpuBefore = await server.cpuMicros();
    let started = 0;
    let busyBefore = performance.eventLoopUtilization();
    const result = await autocannon({
      url: server.url,
      connections: CONNECTIONS,
      pipelining: 1,
      duration: effort.sliceSeconds,
      sampleInt: 100,
      setupClient: (client) => {
        client.setRequests(requestsOf(connection++, slice).map(prepared));
        started = performance.now(); // autocannon's own duration includes the making of many requests
        busyBefore = performance.eventLoopUtilization();
      },
    });
    slice++;
    const seconds = (performance.now() - started) / 1000;
    const generatorBusy = performance.eventLoopUtilization(busyBefore).utilization;
    const cpuMicros = (await server.cpuMicros()) - cpuBefore;
    const { errors, non2xx, latency } = result;
    const answers = result['2xx'];
    if (errors + non2xx + unwanted > 0 || answers === 0) {
      throw new Error(
        `${server.url}: ${answers} answers, ${non2xx} of them not 2xx, ${unwanted} with an unwanted header, ${errors} errors`,
      );
    }
    return {
      perSecond: answers / seconds,
      cpuMicros: cpuMicros / answers,
      generatorBusy,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
    } satisfies Sample;
  };
};
