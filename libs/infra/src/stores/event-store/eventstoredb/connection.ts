import { NotConnected } from './errors.js';
import type { Endpoint } from './grpc/call.js';
import type { LogClient, OpenClient } from './log-client.js';

/** Holds one client at a time. A client is replaced when its node fails. */
export class LogConnection {
  private readonly ending = new Set<Promise<void>>();
  private current: LogClient | undefined;
  /** Address of the leader, as last reported by a node. */
  private leader: Endpoint | undefined;
  private isClosed = false;

  /**
   * Does not connect yet.
   * @param onReplaced called when later calls use another connection: the server behind it may have another log
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

  /** Ends a client and all its calls. The next client looks for the node again, unless a new one exists already. */
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
