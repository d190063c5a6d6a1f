import { answer } from '#api/shared/openapi/described.js';
import { describedMembers, recordMembers } from '#api/status/bodies.js';
import { envelopeOf, STATUS, showsOne } from '#api/status/openapi/envelopes.js';
import { component, doc } from '#domain/shared/shape.js';
import { exclusions, requested, STATE } from './recomputation-body.js';

const RECOMPUTATION = component(
  'StatusRecomputation',
  {
    id: 'uuid',
    ...recordMembers(requested),
    status: STATE,
    timestamp: doc('instant', 'of the status'),
    history: doc([{ status: STATE, timestamp: 'instant' }], 'oldest first, the current status included'),
    ...describedMembers(exclusions),
  },
  'status contract 11',
);

export const SUBMITTED = {
  requester_name: 'Ada Lovelace',
  requester_email: 'ada@example.org',
  reason: 'power cut',
  start_time: '2026-02-10T06:00:00Z',
  end_time: '2026-02-10T07:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A'],
};
const PENDING = { status: 'pending', timestamp: '2026-03-01T12:00:00Z' };
const SHOWN = { id: 'd2a6415c-0fe2-45c0-b7a3-45e4f2c4293e', ...SUBMITTED, ...PENDING, history: [PENDING] };

const RECOMPUTATIONS = component('StatusRecomputations', {
  status: STATUS,
  data: [RECOMPUTATION],
  root: doc([RECOMPUTATION], 'the same as `data`'),
});
export const LISTS_RECOMPUTATIONS = {
  200: answer(RECOMPUTATIONS, { status: { message: 'Success', code: '200' }, data: [SHOWN], root: [SHOWN] }),
};
export const SHOWS_RECOMPUTATION = showsOne(envelopeOf('StatusOneRecomputation', RECOMPUTATION), SHOWN);
