import { NotConnected } from './errors.js';
import type { Endpoint } from './grpc/call.js';
import type { LogClient, OpenClient } from './log-client.js';

/** Holds one client at a time. A client whose node fails is replaced. */
export class LogConnection {
  private readonly ending = new Set<Promise<void>>();
  private current: LogClient | undefined;
  /** Address of the leader, as reported by the last node. */
  private leader: Endpoint | undefined;
  private isClosed = false;

  /**
   * Does not connect yet.
   * @param onReplaced called when the next calls go over another connection: whoever answers there may have another log
   */
  constructor(
    private readonly open: OpenClient,
    private readonly onReplaced: () => void,
  ) {}

  /** @throws NotConnected after `close` */
  get client(): LogClient {
    if (this.isClosed) throw new NotConnected('the connection is closed');
    this.current ??= this.open(this.leader, (client, leader) => this.replace(client, leader));
    return this.current;
  }

  /** Ends a client and all calls on it. The next one looks for the node anew, unless that has happened already. */
  drop(client: LogClient): void {
    if (client === this.current) {
      this.current = undefined;
      this.leader = undefined;
    }
    const ending = client.end().finally(() => this.ending.delete(ending));
    this.ending.add(ending);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.current) this.drop(this.current);
    await Promise.allSettled(this.ending);
  }

  private replace(client: LogClient, leader: Endpoint | undefined): void {
    if (client !== this.current) return;
    this.current = undefined;
    this.leader = leader;
    client.retire();
    this.onReplaced();
  }
}
