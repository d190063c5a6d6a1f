import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '#test/bench/installation.js';
import { rssAnonBytes } from '#test/bench/operating.js';
import { figure, type Table } from '#test/bench/profile/tables.js';
import { cpuMicrosOf, rests } from '#test/bench/profile/usage.js';
import type { LogbookServer } from '#test/bench/servers/logbook-server.js';

/** `until`: only the beginning of the answer is read, up to this text. `status`: 200 unless given. */
export type Call = Readonly<{
  method?: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  until?: string;
  status?: number;
}>;

type CallRow = Readonly<{ name: string; calls: number; p50: number; most: number; cpuMs: number; turnMs: number; kib: number }>;
type RestRow = Readonly<{ name: string; start: readonly number[]; mib: number; idleMs: number }>;

/** Of a server at rest. */
const IDLE_SECONDS = 30;
const [KIB, MIB] = [1_024, 1_048_576];

/** An installation that has many of something: what its callers and its operator notice of it. */
export class Breadth {
  readonly calls: CallRow[] = [];
  readonly rests: RestRow[] = [];

  constructor(
    readonly installation: Installation,
    readonly server: LogbookServer,
    private readonly said: (line: string) => void,
  ) {}

  /** Memory, and CPU of a minute in which nothing is asked. `start`: milliseconds until ready, and CPU ms. */
  async atRest(name: string, start: readonly number[] = []): Promise<number> {
    await rests(() => cpuMicrosOf(this.server.pid));
    const before = cpuMicrosOf(this.server.pid);
    await sleep(IDLE_SECONDS * 1_000);
    const idleMs = ((cpuMicrosOf(this.server.pid) - before) * 60) / IDLE_SECONDS / 1_000;
    const mib = rssAnonBytes(this.server) / MIB;
    this.rests.push({ name, start, mib, idleMs });
    this.said(`${name}: ${[...start, mib, idleMs].map(figure).join(', ')}`);
    return mib;
  }

  /**
   * Makes so many calls, one for each number from 0 on, so many at a time. Returns the last answer.
   * @throws when one is not answered as it must be
   */
  async call(name: string, count: number, callOf: (index: number) => Call, atATime = 1): Promise<string> {
    const times: number[] = [];
    let [next, bytes, last] = [0, 0, ''];
    const caller = async (): Promise<void> => {
      while (next < count) {
        const call = callOf(next++);
        const begun = performance.now();
        last = await answerTo(this.server.url, call);
        times.push(performance.now() - begun);
        bytes += last.length;
      }
    };
    await this.work(
      name,
      () => Promise.all(Array.from({ length: atATime }, caller)),
      () => ({ times, bytes }),
    );
    return last;
  }

  /** The same of anything that takes as long as `work`. */
  async work(
    name: string,
    work: () => Promise<unknown>,
    done?: () => Readonly<{ times: readonly number[]; bytes: number }>,
  ): Promise<void> {
    await rests(() => cpuMicrosOf(this.server.pid));
    const [before, begun] = [cpuMicrosOf(this.server.pid), performance.now()];
    const { mostCpuMs } = await this.server.turns(work);
    const { times, bytes } = done?.() ?? { times: [performance.now() - begun], bytes: 0 };
    await rests(() => cpuMicrosOf(this.server.pid));
    const sorted = times.toSorted((one, other) => one - other);
    const row = {
      ...{ name, calls: sorted.length, p50: sorted[sorted.length >> 1] ?? 0, most: sorted.at(-1) ?? 0 },
      ...{ cpuMs: (cpuMicrosOf(this.server.pid) - before) / 1_000 / sorted.length, kib: bytes / KIB / sorted.length },
      turnMs: mostCpuMs,
    };
    this.calls.push(row);
    this.said(`${name}: ${cells(row).join(', ')}`);
  }
}

/** Something that an installation has many of. `prepare`: without a server; `make`: on a server that is started anew before `use`. */
export type Wide = Readonly<{
  name: string;
  environment?: Readonly<Record<string, string>>;
  prepare?(installation: Installation): Promise<unknown>;
  make(wide: Breadth): Promise<unknown>;
  use(wide: Breadth): Promise<unknown>;
}>;

const answerTo = async (url: string, { method = 'GET', path, headers, body, until, status = 200 }: Call): Promise<string> => {
  const ended = new AbortController();
  const answer = await fetch(url + path, { method, headers, signal: ended.signal, ...(body !== undefined && { body }) });
  let text = '';
  if (until === undefined) text = await answer.text();
  else {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes(until)) break;
    }
    ended.abort();
  }
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return text;
};

const cells = ({ calls, p50, most, cpuMs, turnMs, kib }: CallRow): readonly string[] => [
  calls.toLocaleString('en'),
  ...[p50, most, cpuMs, turnMs, kib].map(figure),
];

export const callTable = (rows: readonly CallRow[]): Table => ({
  head: ['', 'calls', 'p50 ms', 'longest', 'CPU ms', 'longest turn, CPU ms', 'answer KiB'],
  rows: rows.map((row) => [row.name, ...cells(row)]),
});

export const restTable = (rows: readonly RestRow[]): Table => ({
  head: ['at rest, with', 'start ms', 'start, CPU ms', 'MiB', 'CPU ms a minute'],
  rows: rows.map(({ name, start: [ms, cpu], mib, idleMs }) => [
    name,
    ...[ms, cpu, mib, idleMs].map((value) => (value === undefined ? '' : figure(value))),
  ]),
});
