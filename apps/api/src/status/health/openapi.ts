import { shows } from '#api/shared/openapi/described.js';
import { shownOf } from '#api/status/openapi/envelopes.js';
import { component, doc } from '#domain/shared/shape.js';

export const STATE = doc('text', 'such as `OK`, `CRITICAL`');
const NO_DATA = 'no data';
/** The last check, or the acknowledgement that overrides it. A check may have no status or message; then the members are absent. */
const now = (status: string, message: string) =>
  ({ 'status?': [STATE, status], timestamp: [doc('instant', 'now'), '2026-03-01T12:00:00Z'], 'message?': ['text', message] }) as const;

export const HEALTH = shownOf('StatusHealth', now('CRITICAL', NO_DATA), 'What the last check says, or the acknowledgement of it');
const KNOWN = 'known and harmless';
export const CONSISTENCY = shownOf(
  'StatusConsistency',
  {
    ...now('OK', KNOWN),
    'auto_check_status?': [STATE, 'CRITICAL'],
    'auto_check_mesage?': [doc('text', 'as the original service spells it'), NO_DATA],
    'auto_check_message?': ['text', NO_DATA],
    'auto_check_timestamp?': ['instant', '2026-03-01T11:00:00Z'],
    'ack_status?': [STATE, 'OK'],
    'ack_message?': ['text', KNOWN],
    'ack_timestamp?': ['instant', '2026-03-01T11:30:00Z'],
    'ack_timeout_hours?': ['integer', 6],
  },
  'With `verbose` also the check, and the acknowledgement while it holds',
);

const SAID = component('StatusNumberedMessage', { message: 'text', code: 'integer' });
export const saysNumbered = (message: string) => shows(SAID, { message, code: 200 });
