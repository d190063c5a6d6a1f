import { openLink } from '#test/support/processes/link.js';
import { batchAppendHandler } from './batch-append.js';
import { CallServer } from './call-server.js';
import { makeCertificate } from './certificate.js';
import { supportedMethodsHandler } from './features.js';
import type { Handler } from './grpc.js';
import { EventLog } from './log.js';
import { ServerNode } from './node.js';
import { readHandler } from './read.js';
import type { Subscription } from './subscription.js';

export type EventStoreDbOptions = Readonly<{
  /** A self-signed certificate, the user `admin` with the password `changeit`, and rights checked. Default false: no rights. */
  tls?: boolean;
  /** Milliseconds since 1970-01-01 UTC, for the events' `created` and `$maxAge`. Default: the system's clock. */
  now?: () => number;
  /** Data that are there already. Default: none. */
  log?: EventLog;
}>;

/** Data of a test server, which may be put into any of them, any number of times. */
export type EventStoreDbBackup = Readonly<{ log: EventLog }>;

/** Data of a server that nobody has written to yet. */
export const emptyBackup = (): EventStoreDbBackup => ({ log: new EventLog(Date.now) });

/** A test server that behaves as EventStoreDB 22.10.5 was seen to; data are kept in memory until `stop`. */
export type EventStoreDbTestServer = Readonly<{
  /** `esdb://127.0.0.1:PORT?tls=false`; with TLS also user, password and the certificate's file. */
  connectionString: string;
  port: number;
  /** Ends everything. The data are gone. */
  stop(): Promise<void>;
  /** Cuts all connections and refuses new ones, as a killed server does; what was written stays. */
  goDown(): Promise<void>;
  /** Listens again on the same port, with these data if any are given. Repeats of appends with `any` are not recognised any more. */
  comeUp(backup?: EventStoreDbBackup): Promise<void>;
  /** The data as they are now. */
  backup(): EventStoreDbBackup;
  /** `goDown`, then `comeUp`. */
  restart(): Promise<void>;
  /** Accepts no bytes and sends none, HTTP/2 pings included, like SIGSTOP; connections stay open and the kernel takes new ones. */
  freeze(): void;
  /** Goes on with what has come in meanwhile. */
  thaw(): void;
  /** Every call is refused as at the start of a node or during an election. */
  refuseNotReady(on: boolean): void;
  /** This node is a follower: calls with `requires-leader` end with the leader's address (default: a port where nobody listens), others work. */
  notLeader(on: boolean, leader?: Readonly<{ host: string; port: number }>): void;
  /** Open calls end without any gRPC status, as 30 s after an orderly stop. */
  endCallsWithoutStatus(): void;
  /** Appends are written at once and answered so many milliseconds late; 0 ends it. */
  answerLate(ms: number): void;
  /** The next `count` of them are written, and not answered (`silence`, the default) or all connections are cut before the answer. */
  loseAnswers(count: number, by?: 'silence' | 'cut'): void;
  /** On: a live subscription that lags behind by more than 32 events ends at once; off (default): after 250 ms of a full connection. */
  dropSlowConsumers(on: boolean): void;
  /** How many events reads of the whole log have looked at since the start, sent or not. */
  searched(): number;
  /** How many events subscriptions have been sent. */
  sent(): number;
  /** Open subscriptions end with status 10, as if their consumers were too slow. */
  dropSubscriptions(): void;
}>;

const ADMIN = 'admin:changeit';
const STREAMS = '/event_store.client.streams.Streams';

/** Starts a server on 127.0.0.1 and a free port. */
export const startEventStoreDb = async (options: EventStoreDbOptions = {}): Promise<EventStoreDbTestServer> => {
  const certificate = options.tls ? makeCertificate() : undefined;
  const link = await openLink();
  const node = new ServerNode(
    options.log ?? new EventLog(options.now ?? Date.now),
    certificate && `Basic ${Buffer.from(ADMIN).toString('base64')}`,
    link.reset,
  );
  const subscriptions = new Set<Subscription>();
  const calls = new CallServer(handlers(node, subscriptions), certificate);
  link.leadTo(await calls.listen());
  const { port } = link;
  const goDown = () => link.listen(false);
  const comeUp = async (backup?: EventStoreDbBackup) => {
    if (backup) node.log = backup.log.copy();
    node.log.forgetIds();
    await link.listen(true);
  };
  return {
    port,
    connectionString: certificate
      ? `esdb://${ADMIN}@127.0.0.1:${port}?tls=true&tlsCAFile=${encodeURIComponent(certificate.certFile)}`
      : `esdb://127.0.0.1:${port}?tls=false`,
    async stop() {
      node.stop();
      await link.close();
      await calls.close();
      certificate?.remove();
    },
    goDown,
    comeUp,
    backup: () => ({ log: node.log.copy() }),
    async restart() {
      await goDown();
      await comeUp();
    },
    freeze: () => link.hold('both'),
    thaw: () => link.hold('none'),
    refuseNotReady: (on) => {
      node.faults.notReady = on;
    },
    notLeader: (on, leader = { host: '127.0.0.1', port: 1 }) => {
      node.faults.leader = on ? leader : undefined;
    },
    endCallsWithoutStatus: () => calls.endWithoutStatus(),
    answerLate: (ms) => {
      node.faults.answerDelayMs = ms;
    },
    loseAnswers: (count, by = 'silence') => {
      node.faults.answersToLose = count;
      node.faults.loseBy = by;
    },
    dropSlowConsumers: (on) => {
      node.faults.dropSlowConsumers = on;
    },
    searched: () => node.searched,
    sent: () => node.sent,
    dropSubscriptions: () => {
      for (const subscription of subscriptions) subscription.drop();
    },
  };
};

const handlers = (node: ServerNode, subscriptions: Set<Subscription>): ReadonlyMap<string, Handler> =>
  new Map([
    [`${STREAMS}/BatchAppend`, batchAppendHandler(node)],
    [`${STREAMS}/Read`, readHandler(node, subscriptions)],
    ['/event_store.client.server_features.ServerFeatures/GetSupportedMethods', supportedMethodsHandler],
  ]);
