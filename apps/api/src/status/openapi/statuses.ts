import { doc } from '#domain/shared/shape.js';

/** Details of an endpoint, from its tags. */
export const INFO = { '*': 'text' } as const;
export const STATUS_VALUE = doc('text', 'such as `OK`, `WARNING`, `CRITICAL`');
/** The effect of thresholds on a status. */
export const JUDGEMENT = {
  'actual_data?': doc('text', 'performance data'),
  'threshold_rule_applied?': 'text',
  'original_status?': doc('text', 'before the rule was applied'),
} as const;

/** Examples: an endpoint group, a service in it and an endpoint of that service. */
export const SITE = { name: 'SITE-A', type: 'SITES' };
export const WEB = { name: 'web', type: 'service' } as const;
export const HOST = { name: 'web.example.org', info: { URL: 'https://web.example.org' } };
