import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import type { Effort, Sample, Side } from './scenario.js';
import type { Child } from './servers/child.js';

/** A request and, for what its answer must be besides 2xx, checks of it. */
export type LoadRequest = Readonly<{
  method: 'GET' | 'PUT' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** What differs each time that it is sent. */
  vary?(): Readonly<{ path?: string; body?: string; headers?: Readonly<Record<string, string>> }>;
  /** An answer with this header is late: what it promises is not there yet. */
  lateHeader?: string;
  /** Whether the answer is as it must be. */
  accepts?(body: string): boolean;
}>;

type Request = Parameters<Parameters<Parameters<typeof autocannon>[0]['setupClient']>[0]['setRequests']>[0][number];

export const CONNECTIONS = 64;

/** Answers of a slice that are not as they must be. */
type Flaws = { late: number; refused: number };

const prepared = (request: LoadRequest, flaws: Flaws): Request => {
  const { method, path, headers, body, vary, lateHeader, accepts } = request;
  return {
    method,
    path,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    ...(vary && { setupRequest: (sent) => ({ ...sent, ...vary() }) }),
    ...((lateHeader !== undefined || accepts) && {
      onResponse: (_status, text, _context, answered) => {
        if (lateHeader !== undefined && lateHeader in answered) flaws.late++;
        if (accepts?.(text) === false) flaws.refused++;
      },
    }),
  };
};

/** Records the time of each call of a connection: of so many requests one after another. */
const recorder = (latencies: RecordableHistogram, requestsPerCall: number) => {
  let [requests, total] = [0, 0];
  return (_status: number, _bytes: number, milliseconds: number): void => {
    total += milliseconds;
    if (++requests % requestsPerCall !== 0) return;
    latencies.record(Math.max(1, Math.round(total * 1_000)));
    total = 0;
  };
};

/**
 * 64 connections, each with one request at a time, for one slice. `requestsOf` says what each connection (0 to 63) asks for, over and over
 * until the end of the slice (0, 1, …). A call is one request, or so many.
 * @throws when any answer is not as it must be; those that are late are counted
 */
export const httpLoad = (
  server: Child,
  effort: Effort,
  requestsOf: (connection: number, slice: number) => readonly LoadRequest[],
  requestsPerCall = 1,
): Side => {
  let slice = 0;
  return async () => {
    let connection = 0;
    const flaws: Flaws = { late: 0, refused: 0 };
    const latencies = createHistogram();
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
        client.setRequests(requestsOf(connection++, slice).map((request) => prepared(request, flaws)));
        client.on('response', recorder(latencies, requestsPerCall));
        started = performance.now(); // autocannon's own duration includes the making of many requests
        busyBefore = performance.eventLoopUtilization();
      },
    });
    slice++;
    const seconds = (performance.now() - started) / 1000;
    const generatorBusy = performance.eventLoopUtilization(busyBefore).utilization;
    const cpuMicros = (await server.cpuMicros()) - cpuBefore;
    const { errors, non2xx } = result;
    const answers = result['2xx'];
    if (errors + non2xx + flaws.refused > 0 || answers === 0) {
      throw new Error(
        `${server.url}: ${answers} answers, ${non2xx} of them not 2xx, ${flaws.refused} not as they must be, ${errors} errors`,
      );
    }
    const calls = answers / requestsPerCall;
    return {
      perSecond: calls / seconds,
      calls,
      late: flaws.late,
      cpuMicros: cpuMicros / calls,
      generatorBusy,
      p50Ms: latencies.percentile(50) / 1_000,
      p99Ms: latencies.percentile(99) / 1_000,
      latencies,
    } satisfies Sample;
  };
};
