import { CheckpointConflict, type Namespace } from '#projections/shared/read-store.js';
import { type Build, buildRowOf, type PastBuild } from '../build.js';
import type { Condition } from '../failures/condition.js';
import type { DocumentWriter } from '../writer.js';
import type { Builds } from './builds.js';
import { type BuildRow, filesOf, otherSlot, type ProjectionRow } from './catalogue.js';

type BuildSwitchOptions = Readonly<{
  builds: Builds;
  writer: DocumentWriter;
  condition: Condition;
  /** Decides whether a replaced build is kept because the log no longer contains the past that it shows. */
  keepsBuild: (projection: string, build: PastBuild) => boolean;
}>;

/** Creates builds and switches reads to them. Throws the errors of the port `ReadStore` and file system errors. */
export class BuildSwitch {
  constructor(private readonly options: BuildSwitchOptions) {}

  prepare(projection: string, version: number): Promise<Namespace> {
    const { builds, writer } = this.options;
    return writer.exclusively(projection, async () => {
      const row = builds.catalogue.row(projection);
      const slot = row.served ? otherSlot(row.served) : 'a';
      const namespace: Namespace = { projection, version, slot, generation: row.generation + 1 };
      await builds.create(namespace, builds.keepsPast(projection), (build) =>
        this.store(projection, { ...row, generation: namespace.generation, slots: { ...row.slots, [slot]: buildRowOf(build) } }),
      );
      return namespace;
    });
  }

  serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    const { builds, writer } = this.options;
    const { projection, slot } = namespace;
    return writer.exclusively(projection, async () => {
      const build = builds.find(namespace);
      const served = builds.served(projection);
      if (served === build) return;
      const isAlien = served !== undefined && served.namespace.generation === instead?.generation;
      if (served && !isAlien && served.state.checkpoint > build.state.checkpoint)
        throw new CheckpointConflict(projection, build.state.checkpoint, served.state.checkpoint);
      const row = builds.catalogue.row(projection);
      build.gathered.flush(build.state);
      served?.gathered.flush(served.state);
      if (served) await build.file.sync(); // after a power loss it must show no less than the previous build
      const kept = isAlien ? [] : this.kept(build);
      await this.store(projection, { ...row, served: slot, slots: { [slot]: buildRowOf(build) }, kept });
    });
  }

  /** Replaced builds that show positions which this build does not show, or not yet. */
  private kept({ namespace: { projection }, keepsPast, state }: Build): readonly BuildRow[] {
    const { builds, condition, keepsBuild } = this.options;
    const isKept = (build: Build): boolean => {
      const { from, checkpoint } = build.state;
      const isNeeded = from <= checkpoint && (!keepsPast || from < state.from || state.checkpoint < checkpoint);
      return isNeeded && !condition.isDamaged(build) && keepsBuild(projection, builds.described(build));
    };
    return builds.past(projection).toReversed().filter(isKept).map(buildRowOf);
  }

  /** Replaces the row of a projection and removes builds that it no longer names. */
  private async store(projection: string, row: ProjectionRow): Promise<void> {
    const { builds } = this.options;
    const before = filesOf(builds.catalogue.row(projection));
    const after = filesOf(row);
    await builds.catalogue.replace(projection, () => row);
    for (const build of [...builds.all]) {
      const { number } = build.file;
      if (before.includes(number) && !after.includes(number)) builds.remove(build);
    }
  }
}
