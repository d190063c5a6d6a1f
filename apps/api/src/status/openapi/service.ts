import { shows } from '#api/shared/openapi/described.js';
import { component, doc, type Shape } from '#api/shared/openapi/shape.js';

export const STATE = doc('text', 'such as `OK`, `CRITICAL`');
/** A check may be reported without status or message: then the members are absent. */
const NOW = { 'status?': STATE, timestamp: doc('instant', 'now'), 'message?': 'text' } as const;

export const HEALTH = component('StatusHealth', NOW, 'What the last check says, or the acknowledgement of it').shownAs({
  status: 'CRITICAL',
  timestamp: '2026-03-01T12:00:00Z',
  message: 'no data',
});
const VERBOSE: Readonly<Record<string, Shape>> = {
  ...NOW,
  'auto_check_status?': STATE,
  'auto_check_mesage?': doc('text', 'as the original service spells it'),
  'auto_check_message?': 'text',
  'auto_check_timestamp?': 'instant',
  'ack_status?': STATE,
  'ack_message?': 'text',
  'ack_timestamp?': 'instant',
  'ack_timeout_hours?': 'integer',
};
export const CONSISTENCY = component(
  'StatusConsistency',
  VERBOSE,
  'With `verbose` also the check, and the acknowledgement while it holds',
).shownAs({
  status: 'OK',
  timestamp: '2026-03-01T12:00:00Z',
  message: 'known and harmless',
  auto_check_status: 'CRITICAL',
  auto_check_mesage: 'no data',
  auto_check_message: 'no data',
  auto_check_timestamp: '2026-03-01T11:00:00Z',
  ack_status: 'OK',
  ack_message: 'known and harmless',
  ack_timestamp: '2026-03-01T11:30:00Z',
  ack_timeout_hours: 6,
});

const SAID = component('StatusNumberedMessage', { message: 'text', code: 'integer' });
/** 200 with a message. */
export const saysNumbered = (message: string) => shows(SAID, { message, code: 200 });
