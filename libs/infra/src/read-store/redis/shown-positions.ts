import type { Position } from '#domain/shared/events.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { Connection } from './connection.js';
import { ProjectionKeys } from './keys.js';
import { readServed } from './meta.js';

/**
 * The newest position of each projection that readers of this process may have seen. A replica that is promoted may lack the last commits, and a
 * Redis that was restarted its last second: until these are applied again, reads are refused rather than answered from the past.
 */
export class ShownPositions {
  private readonly newest = new Map<string, Readonly<{ line: string; checkpoint: Position }>>();
  /** Epoch of the connection over which a projection was last seen not to be behind. */
  private readonly verified = new Map<string, number>();

  constructor(
    private readonly connection: Connection,
    private readonly keyPrefix: string,
  ) {}

  /** @param line a checkpoint that goes back on purpose begins a new one */
  note(projection: string, line: string, checkpoint: Position): void {
    const known = this.newest.get(projection);
    if (known?.line === line && known.checkpoint >= checkpoint) return;
    this.newest.set(projection, { line, checkpoint });
  }

  /** Costs a round trip after each new connection only, and while the read model is behind. @throws ReadStoreUnavailable it is */
  assertNotBehind(projection: string): Promise<void> | undefined {
    return this.verified.get(projection) === this.connection.epoch ? undefined : this.verify(projection);
  }

  private async verify(projection: string): Promise<void> {
    const { epoch } = this.connection;
    const served = await readServed(this.connection, new ProjectionKeys(this.keyPrefix, projection));
    const known = this.newest.get(projection);
    if (served && known && served.line === known.line && served.checkpoint < known.checkpoint)
      throw new ReadStoreUnavailable('the read model lost its last changes and is behind what was shown: they are being applied again');
    if (served) this.note(projection, served.line, served.checkpoint);
    this.verified.set(projection, epoch);
  }
}
