import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type HealthEvent, health } from './health.js';

const given = deciderSpec(health);
const critical = { status: 'CRITICAL', message: 'no data since 08:00' };
const checked: HealthEvent = { type: 'ConsistencyChecked', data: critical };
const known = { status: 'OK', message: 'known, somebody works on it' };
const acknowledge = (timeoutHours: number) => ({ type: 'AcknowledgeConsistency', ...known, timeoutHours }) as const;
const acknowledged = (timeoutHours: number): HealthEvent => ({ type: 'ConsistencyAcknowledged', data: { ...known, timeoutHours } });

describe('health of the installation', () => {
  it('is the result of the last automatic check; each one is recorded', () => {
    given()
      .when({ type: 'ReportConsistency', ...critical })
      .then(checked);
    given(checked)
      .when({ type: 'ReportConsistency', ...critical })
      .then(checked);
  });

  it('may be acknowledged for a given number of hours, by default six', () => {
    given(checked).when(acknowledge(2)).then(acknowledged(2));
    given(checked, acknowledged(2)).when(acknowledge(0)).then(acknowledged(6));
  });

  it('cannot be acknowledged before the first check', () => given().when(acknowledge(2)).thenRejected('CONSISTENCY_NOT_CHECKED'));

  it('has a message of limited length', () =>
    given()
      .when({ type: 'ReportConsistency', status: 'OK', message: 'x'.repeat(64 * 1024) })
      .thenRejected('OVER_LIMIT', { text: 'The event takes more than 65,536 bytes in an answer' }));
});
