import type { Position } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { addedBy } from '#infra/stores/read-store/keys.js';
import type { Change } from '#projections/shared/read-store.js';
import { type Build, buildRowOf } from '../build.js';
import { type BuildState, NEW_BUILD, withGain } from '../build-state.js';
import type { DocumentIndex } from '../document-index.js';
import type { Indexing } from '../indexing.js';
import { Staging } from '../staging.js';
import { MAX_POSITION } from '../texts/record.js';
import type { DocumentWriter } from '../writer.js';
import type { Builds } from './builds.js';
import type { BuildRow } from './catalogue.js';

/**
 * Imported document versions of the positions `from` to `checkpoint`. `changes`: all versions of all documents with their positions,
 * grouped by document, oldest first.
 */
export type KeptVersions = Readonly<{ version: number; from: Position; checkpoint: Position; changes: Iterable<Change> }>;

/** Changes per append. An append with `MOST_CHARACTERS` has fewer. */
const AT_ONCE = 500;
const MOST_CHARACTERS = 2 ** 20;

/** Generation of imported builds. Every other generation is newer. */
const IMPORTED = 0;

/** Imports document versions as builds. */
export class BuildImport {
  private readonly slice = new TimeSlice();

  constructor(private readonly parts: Readonly<{ builds: Builds; index: DocumentIndex; indexing: Indexing; writer: DocumentWriter }>) {}

  /** Adds the build to the catalogue once it is on disk; until then a restart removes its file. Throws errors of `changes`, too. */
  async run(projection: string, versions: KeptVersions): Promise<void> {
    const { builds, writer } = this.parts;
    if (this.has(projection, versions)) return;
    await builds.create({ projection, version: versions.version, slot: 'a', generation: IMPORTED }, true, async (build) => {
      await this.fill(build, versions);
      await build.file.sync();
      const isNewer = ({ generation }: BuildRow): boolean => generation !== IMPORTED;
      await writer.exclusively(projection, () =>
        builds.catalogue.replace(projection, (row) => {
          const kept = [...row.kept.filter((one) => !isNewer(one)), buildRowOf(build), ...row.kept.filter(isNewer)];
          return { ...row, kept };
        }),
      );
    });
  }

  /** An earlier process may have been killed after it had completed the build. */
  private has(projection: string, { version, from, checkpoint }: KeptVersions): boolean {
    const isSame = ({ namespace, state }: Build): boolean =>
      namespace.generation === IMPORTED && namespace.version === version && state.from === from && state.checkpoint === checkpoint;
    return this.parts.builds.kept(projection).some(isSame);
  }

  private async fill(build: Build, { from, checkpoint, changes }: KeptVersions): Promise<void> {
    build.state = { ...NEW_BUILD, from, checkpoint };
    let part: Change[] = [];
    let characters = 0;
    for (const change of changes) {
      part.push(change);
      characters += addedBy(change);
      if (part.length < AT_ONCE && characters < MOST_CHARACTERS) continue;
      await this.append(build, part);
      part = [];
      characters = 0;
    }
    await this.append(build, part);
  }

  private async append(build: Build, changes: readonly Change[]): Promise<void> {
    const { index, indexing } = this.parts;
    const staging = new Staging(build, index, changes, MAX_POSITION);
    for (const _ of staging.steps(build.gathered.next)) if (this.slice.isOver) await this.slice.next();
    const state: BuildState = withGain({ ...build.state, commits: build.state.commits + 1 }, staging);
    build.gathered.append(staging.records, state);
    staging.apply();
    build.state = state;
    if (indexing.isFull) await indexing.run();
    if (this.slice.isOver) await this.slice.next();
  }
}
