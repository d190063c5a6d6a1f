import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

/** Reference to an event in the calls of operators. `position` is a decimal number as text. */
export type FailedEvent = Readonly<{ eventId: string; position: string; eventType: string }>;

type OfPartition = Readonly<{ projection: string; partition: string }>;

/** In place of a partition: all of them. */
export const ALL_PARTITIONS = '*';

/** What operators did to a projection. Who, and when, is in the metadata. */
export type ProjectionOperation =
  /** From now on the projection does as if the event were not in the log, in every rebuild too. Other projections are not concerned. */
  | Readonly<{
      type: 'ProjectionEventSkipped';
      /** `others`: later events of the partition that failed alike. `rebuildId`: of the rebuild that resumes the partition. */
      data: OfPartition & FailedEvent & Readonly<{ reason: string; others?: readonly FailedEvent[]; rebuildId?: string }>;
    }>
  /** The event that fails was to be tried again, and those that wait behind it, by a rebuild. */
  | Readonly<{ type: 'ProjectionResumeRequested'; data: OfPartition & Readonly<{ rebuildId?: string }> }>
  | Readonly<{ type: 'ProjectionRebuildRequested'; data: Readonly<{ projection: string; rebuildId: string }> }>
  | Readonly<{ type: 'ProjectionVerificationRequested'; data: Readonly<{ projection: string; verificationId: string }> }>;

export type ProjectionCommand =
  | Readonly<{ type: 'SkipEvent' } & Extract<ProjectionOperation, { type: 'ProjectionEventSkipped' }>['data']>
  | Readonly<{ type: 'RequestResume' } & Extract<ProjectionOperation, { type: 'ProjectionResumeRequested' }>['data']>
  | Readonly<{ type: 'RequestRebuild'; projection: string; rebuildId: string }>
  | Readonly<{ type: 'RequestVerification'; projection: string; verificationId: string }>
  /** Changes nothing. Used to find the result of a repeated call. */
  | Readonly<{ type: 'LookUp'; projection: string }>;

export const PROJECTIONS_CATEGORY = 'ops.projections';
export const streamOfProjection = (projection: string): string => `${PROJECTIONS_CATEGORY}-${projection}`;

export const projectionOperations: CatalogueOf<ProjectionOperation> = {
  ProjectionEventSkipped: { resource: none },
  ProjectionResumeRequested: { resource: none },
  ProjectionRebuildRequested: { resource: none },
  ProjectionVerificationRequested: { resource: none },
};

/** Ids of skipped events. */
export type ProjectionState = Readonly<{ skipped: Set<string> }>;

/** An event is skipped once. A repeat asks for the rebuild that resumes its partition, as the first one may have been cancelled. */
export const projectionOperation: Decider<ProjectionState, ProjectionCommand, ProjectionOperation> = {
  snapshots: { name: 'projection-operations', version: 1 },
  initialState: () => ({ skipped: new Set() }),
  decide: (command, { skipped }) => {
    const { projection } = command;
    switch (command.type) {
      case 'SkipEvent': {
        const { type: _, ...data } = command;
        const isSkipped = [data, ...(data.others ?? [])].every(({ eventId }) => skipped.has(eventId));
        if (!isSkipped) return [{ type: 'ProjectionEventSkipped', data }];
        const { partition, rebuildId } = data;
        return rebuildId === undefined ? [] : [{ type: 'ProjectionResumeRequested', data: { projection, partition, rebuildId } }];
      }
      case 'RequestResume': {
        const { type: _, ...data } = command;
        return [{ type: 'ProjectionResumeRequested', data }];
      }
      case 'LookUp':
        return [];
      case 'RequestRebuild':
        return [{ type: 'ProjectionRebuildRequested', data: { projection, rebuildId: command.rebuildId } }];
      case 'RequestVerification':
        return [{ type: 'ProjectionVerificationRequested', data: { projection, verificationId: command.verificationId } }];
    }
  },
  evolve: (state, event) => {
    if (event.type === 'ProjectionEventSkipped')
      for (const { eventId } of [event.data, ...(event.data.others ?? [])]) state.skipped.add(eventId);
    return state;
  },
};
