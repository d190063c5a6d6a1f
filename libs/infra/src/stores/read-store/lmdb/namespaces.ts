import type { Position } from '#domain/shared/events.js';
import type { Namespace } from '#projections/shared/read-store.js';
import type { BuildRecords } from './build-records.js';
import type { Slot } from './databases.js';

/**
 * The build in a slot. `origin` and `marks` are kept for its writers. `commits`: their number, by which one that moves nothing shows, too. `keeper`: the
 * process that may have commits in memory, see `Keeper`.
 */
export type Build = Readonly<{
  generation: number;
  version: number;
  checkpoint: Position;
  origin: string | null;
  marks: string;
  commits: number;
  keeper: string;
}>;

export const otherSlot = (slot: Slot): Slot => (slot === 'a' ? 'b' : 'a');

export const parseBuild = (text: string): Build => {
  const { generation, version, checkpoint, origin = null, marks = '', commits = 0, keeper = '' } = JSON.parse(text);
  return { generation, version, checkpoint: BigInt(checkpoint), origin, marks, commits, keeper };
};

export const textOfBuild = ({ generation, version, checkpoint, origin, marks, commits, keeper }: Build): string =>
  JSON.stringify({
    generation,
    version,
    checkpoint: String(checkpoint),
    origin,
    ...(marks && { marks }),
    commits,
    ...(keeper && { keeper }),
  });

/**
 * The build records as they are on disk, in the database `meta`. Per projection: `<projection>/served` holds the slot (alone, because every read needs it),
 * `<projection>/a` and `<projection>/b` hold the build in that slot, `<projection>/generation` the last generation used. Write only inside
 * a transaction.
 */
export class Namespaces {
  constructor(private readonly meta: BuildRecords) {}

  servedSlot(projection: string): Slot | undefined {
    const slot = this.meta.get(`${projection}/served`);
    return slot === 'a' || slot === 'b' ? slot : undefined;
  }

  build(projection: string, slot: Slot): Build | undefined {
    const text = this.meta.get(`${projection}/${slot}`);
    return text === undefined ? undefined : parseBuild(text);
  }

  /** Another text after every change of the build that is stored; not parsed, nor checked for damage. */
  recordOf(projection: string, slot: Slot): string | undefined {
    return this.meta.stored(`${projection}/${slot}`);
  }

  /** The build of a namespace, unless a newer one took its place. */
  buildOf(namespace: Namespace): Build | undefined {
    const build = this.build(namespace.projection, namespace.slot);
    return build?.generation === namespace.generation ? build : undefined;
  }

  nextGeneration(projection: string): number {
    const key = `${projection}/generation`;
    const generation = Number(this.meta.get(key) ?? 0) + 1;
    this.meta.putSync(key, String(generation));
    return generation;
  }

  setBuild(projection: string, slot: Slot, build: Build): void {
    this.meta.putSync(`${projection}/${slot}`, textOfBuild(build));
  }

  removeBuild(projection: string, slot: Slot): void {
    this.meta.removeSync(`${projection}/${slot}`);
  }

  setServed(projection: string, slot: Slot): void {
    this.meta.putSync(`${projection}/served`, slot);
  }
}
