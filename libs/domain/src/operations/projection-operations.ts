import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

/** Reference to an event in the calls of operators. `position` is a decimal number as text. */
type FailedEvent = Readonly<{ eventId: string; position: string; eventType: string }>;

type OfPartition = Readonly<{ projection: string; partition: string }>;

/** In place of a partition: all of them, and the projection itself if it has stopped. */
export const ALL_PARTITIONS = '*';

/** What operators did to a projection. Who, and when, is in the metadata. */
export type ProjectionOperation =
  /** From now on the projection does as if the event were not in the log, in every rebuild too. Other projections are not concerned. */
  | Readonly<{ type: 'ProjectionEventSkipped'; data: OfPartition & FailedEvent & Readonly<{ reason: string }> }>
  /** The event that fails was to be tried again, and those that wait behind it. */
  | Readonly<{ type: 'ProjectionResumeRequested'; data: OfPartition }>
  | Readonly<{ type: 'ProjectionRebuildRequested'; data: Readonly<{ projection: string; rebuildId: string }> }>
  | Readonly<{ type: 'ProjectionVerificationRequested'; data: Readonly<{ projection: string; verificationId: string }> }>;

export type ProjectionCommand =
  | Readonly<{ type: 'SkipEvent' } & Extract<ProjectionOperation, { type: 'ProjectionEventSkipped' }>['data']>
  | Readonly<{ type: 'RequestResume' } & OfPartition>
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

/** An event is skipped once; every other request is recorded each time. */
export const projectionOperation: Decider<ProjectionState, ProjectionCommand, ProjectionOperation> = {
  snapshots: { name: 'projection-operations', version: 1 },
  initialState: () => ({ skipped: new Set() }),
  decide: (command, { skipped }) => {
    const { projection } = command;
    switch (command.type) {
      case 'SkipEvent': {
        const { partition, eventId, position, eventType, reason } = command;
        if (skipped.has(eventId)) return [];
        return [{ type: 'ProjectionEventSkipped', data: { projection, partition, eventId, position, eventType, reason } }];
      }
      case 'RequestResume':
        return [{ type: 'ProjectionResumeRequested', data: { projection, partition: command.partition } }];
      case 'LookUp':
        return [];
      case 'RequestRebuild':
        return [{ type: 'ProjectionRebuildRequested', data: { projection, rebuildId: command.rebuildId } }];
      case 'RequestVerification':
        return [{ type: 'ProjectionVerificationRequested', data: { projection, verificationId: command.verificationId } }];
    }
  },
  evolve: (state, event) => {
    if (event.type === 'ProjectionEventSkipped') state.skipped.add(event.data.eventId);
    return state;
  },
};
