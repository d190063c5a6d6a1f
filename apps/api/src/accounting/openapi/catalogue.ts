import type { Catalogue } from '#api/shared/openapi/described.js';
import { ADMINISTRATION } from './administration.js';
import { RECORDS } from './records.js';
import { USAGE } from './usage.js';

export const ACCOUNTING_CATALOGUE: Catalogue = { ...ADMINISTRATION, ...RECORDS, ...USAGE };
