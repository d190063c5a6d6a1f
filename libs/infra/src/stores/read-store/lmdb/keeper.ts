import { randomUUID } from 'node:crypto';
import type { Build } from './namespaces.js';

/** So long a process stores its commits at once after another one has asked for it. */
const YIELD_MS = 2_000;
const ASKED = '?';

/** Another process has been asked to write what it has in memory. */
export const asked = (build: Build): Build => ({ ...build, keeper: build.keeper.endsWith(ASKED) ? build.keeper : build.keeper + ASKED });

/**
 * Commits that a process has in memory cannot be seen by another one, which must not serve a build that shows less. So the record of a build names
 * who may have some: its keeper, since a commit that was stored at once. Who wants to replace the build asks the keeper there, in the record; it
 * writes what it has, is keeper no longer, and stores its commits at once for a while.
 */
export class Keeper {
  private readonly name = randomUUID().slice(0, 8);
  private readonly yielding = new Map<string, number>();

  /** Whether this process may have commits to the build in memory. */
  is({ keeper }: Build): boolean {
    return keeper === this.name;
  }

  /** Whether another process may. */
  isOther({ keeper }: Build): boolean {
    return keeper !== '' && keeper !== this.name;
  }

  /** Whether this process is asked for them. @param record of the build, as it is stored */
  isAsked(record: string | undefined): boolean {
    return record?.includes(this.name + ASKED) === true;
  }

  /** The build after a commit of this process that was stored at once. */
  stored(projection: string, build: Build): Build {
    const now = performance.now();
    if (build.keeper === this.name + ASKED) this.yielding.set(projection, now + YIELD_MS);
    return { ...build, keeper: now < (this.yielding.get(projection) ?? 0) ? '' : this.name };
  }
}
