import { bounded } from '#domain/shared/shape.js';
import { type Parameters, parameter } from './described.js';

/** Headers that Logbook adds to the calls of all services. */
export const COMMON_PARAMETERS: Parameters = {
  'header Idempotency-Key': parameter(
    bounded('text', { minLength: 1 }),
    'a repeat of the call under the same key and with the same body changes nothing, and is answered as the first one',
  ),
};
