import { readFileSync } from 'node:fs';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BATCH_APPEND,
  batchOf,
  type Conversation,
  loadRecording,
  type RecordedEvent,
  type RecordedRequest,
} from '#test/support/eventstoredb/recording/conversation.js';
import { type PlayedCall, Player } from '#test/support/eventstoredb/recording/player.js';
import { Relations } from '#test/support/eventstoredb/recording/relations.js';
import { buildRequest } from '#test/support/eventstoredb/recording/requests.js';
import { type EventStoreDbTestServer, startEventStoreDb } from './server.js';

const SLOW_EVENTS = 3000;

/** Number (end of the id) of the first event that a line's timeline appends; the next ones count on. */
const LIVE_IDS: ReadonlyMap<string, number> = new Map([
  ['subscribe/all/from-end', 608],
  ['subscribe/all/filter/live-nothing-matches', 651],
  ['subscribe/all/filter/live-matches-and-others', 660],
  ['subscribe/all/consumer-too-slow', 665],
]);

const recording = loadRecording();
const conversation = (name: string): Conversation => {
  const found = recording.find((line) => line.name === name);
  if (!found) throw new Error(`no line ${name}`);
  return found;
};
const namesOf = (...groups: string[]): string[] =>
  recording.map(({ name }) => name).filter((name) => groups.some((group) => name.startsWith(`${group}/`)));

const event = (number: number, type: string, data: RecordedEvent['data'], contentType = 'application/json'): RecordedEvent => ({
  id: { string: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` },
  metadataMap: [
    ['content-type', contentType],
    ['type', type],
  ],
  customMetadata: '',
  data,
});

const liveEvent = (stream: string, number: number): RecordedEvent => {
  if (stream.startsWith('rec.sub-')) return event(number, 'L', '{"live":0}');
  return event(number, stream.startsWith('rec.fill-') ? 'F' : 'M', '');
};

const played = new Set<string>();

/** Plays conversations against one server and compares what comes. */
class Stage {
  relations = new Relations();

  constructor(
    readonly server: EventStoreDbTestServer,
    readonly player: Player,
  ) {}

  static async open(options: Parameters<typeof startEventStoreDb>[0] = {}): Promise<Stage> {
    const server = await startEventStoreDb(options);
    const caFile = new URL(server.connectionString).searchParams.get('tlsCAFile');
    const channel = caFile === null ? credentials.createInsecure() : credentials.createSsl(readFileSync(caFile));
    return new Stage(server, new Player(`127.0.0.1:${server.port}`, channel));
  }

  async close(): Promise<void> {
    this.player.close();
    await this.server.stop();
  }

  async play(name: string, beforeEnd: () => void = () => {}): Promise<void> {
    const recorded = conversation(name);
    const call = this.player.call(recorded.rpc, recorded.requestHeaders);
    for (const request of recorded.requests) this.send(recorded.rpc, request, call);
    if (recorded.rpc !== BATCH_APPEND) {
      call.halfClose();
      await this.perform(recorded, call);
    }
    await call.responsesArrived(recorded.responses.length);
    beforeEnd();
    if (recorded.cancelled) await this.cancel(call);
    await this.compare(recorded, call);
    played.add(name);
  }

  /** Appends events that a line left out of the recording wrote. */
  async append(stream: string, events: readonly RecordedEvent[], recordedPosition?: string): Promise<void> {
    const call = this.player.call(BATCH_APPEND);
    this.send(BATCH_APPEND, batchOf({ streamIdentifier: { streamName: stream }, any: {} }, events), call);
    await call.responsesArrived(1);
    call.cancel();
    const recorded = { commitPosition: recordedPosition, preparePosition: recordedPosition };
    const expected = { success: { currentRevision: expect.any(String), position: recordedPosition ? recorded : expect.anything() } };
    expect(this.relations.align({ success: { position: recorded } }, call.responses[0])).toMatchObject(expected);
  }

  /** Appends of a timeline of a subscription while it is open. */
  private async perform(recorded: Conversation, call: PlayedCall): Promise<void> {
    let id = LIVE_IDS.get(recorded.name) ?? 0;
    for (const [, what] of recorded.timeline ?? []) {
      const [, stream = '', , position] = /^append (?:1 event\(s\) )?to (\S+)( -> position (\d+))?$/.exec(what) ?? [];
      if (stream !== '') {
        await call.responsesArrived(1);
        await this.append(stream, [liveEvent(stream, id++)], position);
      }
      if (what === 'consumer stops reading') {
        await call.responsesArrived(1);
        call.stopReading();
      }
      if (what.startsWith(`${SLOW_EVENTS} events`)) await this.appendSlowEvents(id);
      if (what === 'consumer reads again') call.readAgain();
    }
  }

  private async appendSlowEvents(firstId: number): Promise<void> {
    const piece = 500;
    for (let start = 0; start < SLOW_EVENTS; start += piece) {
      const events = Array.from({ length: piece }, (_, index) =>
        event(firstId + start + index, 'W', { bytes: 1000, allEqual: 'w' }, 'application/octet-stream'),
      );
      await this.append('rec.slow-1', events);
    }
  }

  private send(rpc: string, request: RecordedRequest, call: PlayedCall): void {
    call.send(buildRequest(rpc, request, (recorded) => this.relations.ourPosition(recorded)));
  }

  /** First makes sure that nothing more comes. */
  private async cancel(call: PlayedCall): Promise<void> {
    for (let round = 0; round < 2; round++) await this.player.roundTrip();
    expect(call.ended).toBe(false);
    call.cancel();
  }

  private async compare(recorded: Conversation, call: PlayedCall): Promise<void> {
    const { status, trailers } = await call.outcome();
    const responses = recorded.responsesLeftOut === undefined ? call.responses : call.responses.slice(0, recorded.responses.length);
    expect({ responses: this.relations.align(recorded.responses, responses), status, trailers }).toEqual({
      responses: recorded.responses,
      status: recorded.status,
      trailers: recorded.trailers,
    });
    if (recorded.responseHeaders) expect(call.headers).toEqual(recorded.responseHeaders);
    if (recorded.responsesLeftOut !== undefined) expect(call.responses.length).toBeLessThan(SLOW_EVENTS);
  }
}

describe('as recorded: one node on an empty database', () => {
  let stage: Stage;
  let passedMs = 0;
  beforeAll(async () => {
    stage = await Stage.open({ now: () => Date.now() + passedMs });
  });
  afterAll(() => stage.close());

  /** What lines left out of the recording, or time, did before these. */
  const before: Readonly<Record<string, () => void | Promise<void>>> = {
    'metadata/read/max-age-passed': () => {
      passedMs += 1300;
    },
    'subscribe/all/from-end': () =>
      stage.append(
        'rec.sub-1',
        [602, 603, 604, 607].map((id) => liveEvent('rec.sub-1', id)),
      ),
    'subscribe/setup-filler': () => stage.append('rec.sub-1', [liveEvent('rec.sub-1', 609)], '2108257'),
    'subscribe/all/consumer-too-slow': () => stage.server.dropSlowConsumers(true),
  };

  it.each(namesOf('append', 'batch', 'read', 'metadata', 'subscribe'))('%s', async (name) => {
    await before[name]?.();
    await stage.play(name);
  });

  it('gives positions that grow as the recorded ones', () => {
    const ours = stage.relations.positions().map(([, position]) => position);
    expect(ours.length).toBeGreaterThan(60);
    expect(ours).toEqual([...new Set(ours)].sort((a, b) => (a < b ? -1 : 1)));
  });
});

describe('as recorded: a node that is not ready, a follower, a node that stops', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  it.each(namesOf('not-ready'))('%s', async (name) => {
    stage.server.refuseNotReady(true);
    await stage.play(name);
    stage.server.refuseNotReady(false);
  });

  it.each(namesOf('cluster'))('%s', async (name) => {
    stage.server.notLeader(true, { host: '127.0.0.1', port: 2122 });
    await stage.play(name);
    stage.server.notLeader(false);
  });

  it.each(namesOf('shutdown'))('%s', async (name) => {
    // Written by an earlier try of the recorder.
    if (name === 'shutdown/batch-call-open') await stage.append('rec.stop-1', [event(989, 'T', '{}')]);
    await stage.play(name, () => stage.server.endCallsWithoutStatus());
  });
});

describe('as recorded: a node with TLS and rights', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ tls: true });
  });
  afterAll(() => stage.close());

  it.each(namesOf('secure'))('%s', (name) => stage.play(name));
});

it('The recording is played as a whole', () => {
  expect([...played].sort()).toEqual(recording.map(({ name }) => name).sort());
});
