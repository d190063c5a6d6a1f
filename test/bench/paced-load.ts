import { Agent, request } from 'node:http';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTIONS, type LoadRequest } from './load.js';

/** What was answered since the last look. `latencies`: microseconds, from when a request was due. `failures`: answers that are not as they must be. */
export type LoadFigures = Readonly<{
  calls: number;
  seconds: number;
  late: number;
  latencies: RecordableHistogram;
  failures: readonly string[];
}>;

export type LoadOptions = Readonly<{
  /** Requests that are due in a second; default: the next one of a connection when the last one is answered. */
  perSecond?: number;
  /** Ends after so many requests; default: when it is stopped. */
  calls?: number;
}>;

type Answer = Readonly<{ status: number; body: string; headers: Readonly<Record<string, unknown>> }>;

/** Failures that are kept since the last look. */
const SHOWN = 10;

const emptyFigures = () => ({ calls: 0, late: 0, latencies: createHistogram(), failures: [] as string[] });

/**
 * 64 connections, each with one request at a time, until it is stopped. A request that is due while all of them wait counts from then on, so that times
 * include what a slow answer does to those behind it.
 */
export class PacedLoad {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  private readonly started = performance.now();
  private readonly ended: Promise<unknown>;
  private figures = emptyFigures();
  private since = this.started;
  private begun = 0;
  private isStopped = false;

  constructor(
    private readonly url: string,
    requestsOf: (connection: number) => readonly LoadRequest[],
    private readonly options: LoadOptions = {},
  ) {
    this.ended = Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => this.run(requestsOf(connection))));
  }

  /** Figures since the last call, or since the start. */
  take(): LoadFigures {
    const now = performance.now();
    const taken = { ...this.figures, seconds: (now - this.since) / 1_000 };
    this.figures = emptyFigures();
    this.since = now;
    return taken;
  }

  /** Resolves when the number of requests has been answered. */
  async done(): Promise<void> {
    await this.ended;
    this.agent.destroy();
  }

  /** Resolves when all requests under way have been answered. */
  stop(): Promise<void> {
    this.isStopped = true;
    return this.done();
  }

  private async run(requests: readonly LoadRequest[]): Promise<void> {
    for (let next = 0; ; next = (next + 1) % requests.length) {
      const due = await this.due();
      const wanted = requests[next];
      if (due === undefined || !wanted) return;
      await this.call(wanted, due);
    }
  }

  /** When the next request is due; waits until then. `undefined`: there are no more. */
  private async due(): Promise<number | undefined> {
    const { perSecond, calls = Number.POSITIVE_INFINITY } = this.options;
    const number = this.begun++;
    if (this.isStopped || number >= calls) return undefined;
    const now = performance.now();
    if (perSecond === undefined) return now;
    const at = this.started + (number * 1_000) / perSecond;
    if (at <= now) return at;
    await sleep(at - now);
    return this.isStopped ? undefined : performance.now();
  }

  private async call(wanted: LoadRequest, due: number): Promise<void> {
    const sent = { ...wanted, ...wanted.vary?.() };
    const { figures } = this;
    try {
      const { status, body, headers } = await this.send(sent);
      if (wanted.lateHeader !== undefined && wanted.lateHeader in headers) figures.late++;
      if (status < 200 || status > 299) this.fail(`${sent.method} ${sent.path}: ${status} ${body.slice(0, 200)}`);
      else if (wanted.accepts?.(body) === false) this.fail(`${sent.method} ${sent.path}: ${body.slice(0, 200)}`);
    } catch (error) {
      this.fail(`${sent.method} ${sent.path}: ${error}`);
    }
    figures.calls++;
    figures.latencies.record(Math.max(1, Math.round((performance.now() - due) * 1_000)));
  }

  private fail(failure: string): void {
    if (this.figures.failures.length < SHOWN) this.figures.failures.push(failure);
  }

  private send({ method, path, headers = {}, body = '' }: LoadRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
      const options = { agent: this.agent, method, headers: { ...headers, ...length } };
      const sent = request(this.url + path, options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: `${Buffer.concat(chunks)}`, headers: answer.headers }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
