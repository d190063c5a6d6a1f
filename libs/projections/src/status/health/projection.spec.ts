import { describe, it } from '@jest/globals';
import { projectionSpec } from '#test/support/projection-spec.js';
import { healthProjection } from './projection.js';

const given = projectionSpec(healthProjection);
const [at, later, last] = ['2024-01-01T08:00:00.000Z', '2024-01-01T09:00:00.000Z', '2024-01-01T10:00:00.000Z'];
const stream = 'status.health-global';
const checked = (status: string, time: string) =>
  ({ stream, type: 'ConsistencyChecked', data: { status, message: 'm' }, metadata: { time } }) as const;
const data = { status: 'OK', message: 'known', timeoutHours: 6 };
const acknowledged = { stream, type: 'ConsistencyAcknowledged', data, metadata: { time: later } } as const;
const said = (status: string, time: string) => ({ status, message: 'm', at: time });

describe('health of the installation', () => {
  it('is the last check', () =>
    given(checked('OK', at), checked('CRITICAL', later)).then({ health: { global: { check: said('CRITICAL', later) } } }));

  it('includes the last acknowledgement, even after later checks', () =>
    given(checked('CRITICAL', at), acknowledged, checked('CRITICAL', last)).then({
      health: { global: { check: said('CRITICAL', last), acknowledgement: { ...data, at: later } } },
    }));
});
