import { describe, expect, it } from '@jest/globals';
import { systemContext, systemEvent } from './system-events.js';

describe('the context of a system actor', () => {
  it('has the cause and conversation of what it reacts to, and a request id of its own', () => {
    const { requestId, ...context } = systemContext('deliveries', 'messaging', 0, { id: 'event', correlationId: 'conversation' });
    const actor = { kind: 'system', id: 'deliveries' };
    expect(context).toEqual({
      ...{ time: '1970-01-01T00:00:00.000Z', actor, service: 'messaging' },
      ...{ causationId: 'event', correlationId: 'conversation' },
    });
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('begins a conversation where no event or request led to it', () => {
    expect(systemContext('start', 'ops', 0, null, 'r')).toMatchObject({ requestId: 'r', causationId: 'r', correlationId: 'r' });
    const { id, metadata } = systemEvent('log', 'LogOpened', {}, null);
    expect(metadata).toMatchObject({ requestId: id, causationId: id, correlationId: id });
  });
});
