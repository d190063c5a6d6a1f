import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { projectionOperation } from './projection-operations.js';

const given = deciderSpec(projectionOperation);
const event = { projection: 'status.reports', partition: 'tenant:t', eventId: 'e', position: '7', eventType: 'ReportCreated' };
const skipped = { type: 'ProjectionEventSkipped', data: { ...event, reason: 'too large' } } as const;

describe('operations on projections', () => {
  it('skip an event once, whoever says so again', () => {
    given()
      .when({ type: 'SkipEvent', ...event, reason: 'too large' })
      .then(skipped);
    given(skipped)
      .when({ type: 'SkipEvent', ...event, reason: 'once more' })
      .then();
    given(skipped)
      .when({ type: 'SkipEvent', ...event, reason: 'once more', rebuildId: 'r' })
      .then({ type: 'ProjectionResumeRequested', data: { projection: event.projection, partition: event.partition, rebuildId: 'r' } });
    given(skipped)
      .when({ type: 'SkipEvent', ...event, eventId: 'f', reason: 'too large' })
      .then({ type: 'ProjectionEventSkipped', data: { ...event, eventId: 'f', reason: 'too large' } });
  });

  it('skip all events that fail alike with one event, unless each is skipped', () => {
    const other = { eventId: 'f', position: '9', eventType: 'ReportCreated' };
    const all = { ...event, reason: 'too large', others: [other] };
    given(skipped)
      .when({ type: 'SkipEvent', ...all })
      .then({ type: 'ProjectionEventSkipped', data: all });
    given({ type: 'ProjectionEventSkipped', data: all })
      .when({ type: 'SkipEvent', ...event, ...other, reason: 'once more' })
      .then();
  });

  it('record who asked to try again, and to rebuild, each time', () => {
    const resumed = { type: 'ProjectionResumeRequested', data: { projection: 'p', partition: 'tenant:t' } } as const;
    given(resumed).when({ type: 'RequestResume', projection: 'p', partition: 'tenant:t' }).then(resumed);
    given()
      .when({ type: 'RequestRebuild', projection: 'p', rebuildId: 'r' })
      .then({ type: 'ProjectionRebuildRequested', data: { projection: 'p', rebuildId: 'r' } });
  });

  it('change nothing by a look', () => given(skipped).when({ type: 'LookUp', projection: 'p' }).then());
});
