import type { IncomingHttpHeaders } from 'node:http2';
import { RpcError } from './grpc.js';
import type { EventLog } from './log.js';

/** Sum of the data bytes of one append, as the real server is configured by default. */
export const MAX_APPEND_BYTES = 1_048_576;

/** The misbehaviour that is switched on. */
type Faults = {
  notReady: boolean;
  /** Set: this node is a follower of that leader. */
  leader?: Readonly<{ host: string; port: number }>;
  answerDelayMs: number;
  answersToLose: number;
  loseBy: 'silence' | 'cut';
  /** Drops a live subscription as soon as it lags, without retry. */
  dropSlowConsumers: boolean;
};

/** What the services of one server share: data, faults, rights, and the moment at which writes count as committed. */
export class ServerNode {
  /** How many events reads of the whole log have looked at, sent or not. */
  searched = 0;
  /** How many events subscriptions have been sent. */
  sent = 0;
  readonly faults: Faults = { notReady: false, answerDelayMs: 0, answersToLose: 0, loseBy: 'silence', dropSlowConsumers: false };
  private readonly listeners = new Set<() => void>();
  private pending: (() => void)[] = [];
  private readonly delayed = new Set<NodeJS.Timeout>();

  constructor(
    public log: EventLog,
    /** Rights are checked only where this is set (TLS): what the header `authorization` of the administrator says. */
    private readonly adminAuthorization: string | undefined,
    /** Cuts all connections. */
    private readonly cut: () => void,
  ) {}

  /** Runs `answer` after the next commit, in order, and after subscribers were told; refusals are answered at once and so overtake it. */
  afterCommit(answer: () => void): void {
    this.pending.push(() => this.deliver(answer));
    // Two turns: what arrives meanwhile is handled first, as a disk flush would allow.
    if (this.pending.length === 1) setImmediate(() => setImmediate(() => this.commit()));
  }

  /** Calls `listener` after each commit, until the function returned is called. */
  onCommit(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Answers that are still delayed are never given. */
  stop(): void {
    for (const timer of this.delayed) clearTimeout(timer);
    this.delayed.clear();
  }

  /** @throws RpcError not ready, or not the leader and the call asks for it: the call ends with it */
  checkServing(headers: IncomingHttpHeaders): void {
    if (this.faults.notReady) throw new RpcError({ code: 14, details: 'Server Is Not Ready' });
    this.checkLeader(headers);
  }

  /** @throws RpcError this is a follower and the call asks for the leader */
  checkLeader(headers: IncomingHttpHeaders): void {
    const { leader } = this.faults;
    if (!leader || headers['requires-leader'] !== 'true') return;
    const trailers = { exception: 'not-leader', 'leader-endpoint-host': leader.host, 'leader-endpoint-port': String(leader.port) };
    throw new RpcError({ code: 5, details: 'Leader info available', trailers });
  }

  /** @throws RpcError wrong user or password */
  checkUser({ authorization }: IncomingHttpHeaders): void {
    if (this.adminAuthorization === undefined || authorization === undefined || authorization === this.adminAuthorization) return;
    throw new RpcError({ code: 16, details: 'Unauthenticated' });
  }

  /** Default rights: user streams and their metadata are open to all, system streams and `$all` to the administrator. */
  allows({ authorization }: IncomingHttpHeaders, stream: string): boolean {
    const owner = stream.startsWith('$$') ? stream.slice(2) : stream;
    return this.adminAuthorization === undefined || authorization === this.adminAuthorization || !owner.startsWith('$');
  }

  /** @throws RpcError the stream (`$all` for the log) is not open to this user */
  checkAccess(headers: IncomingHttpHeaders, stream: string): void {
    this.checkUser(headers);
    if (this.allows(headers, stream)) return;
    throw new RpcError({ code: 7, details: 'Access Denied', trailers: { exception: 'access-denied' } });
  }

  private commit(): void {
    const answers = this.pending;
    this.pending = [];
    for (const listener of this.listeners) listener();
    for (const answer of answers) answer();
  }

  private deliver(answer: () => void): void {
    const { faults } = this;
    if (faults.answersToLose > 0) {
      faults.answersToLose--;
      if (faults.loseBy === 'cut') this.cut();
      return;
    }
    if (faults.answerDelayMs === 0) {
      answer();
      return;
    }
    const timer = setTimeout(() => {
      this.delayed.delete(timer);
      answer();
    }, faults.answerDelayMs);
    this.delayed.add(timer);
  }
}
