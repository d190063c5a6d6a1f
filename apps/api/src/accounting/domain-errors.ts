import { accessWordings } from '#api/accounting/access/access-wordings.js';
import { catalogueWordings, definitionWordings } from '#api/accounting/catalogue/catalogue-wordings.js';
import { usageWordings } from '#api/accounting/metrics/usage-wordings.js';
import type { DomainError } from '#domain/shared/decider.js';
import { type AccountingError, overLimit } from './errors.js';
import { detail, type Wordings } from './wording.js';

/** Every code that deciders of the accounting service reject with; each feature has its own list beside its controllers. */
const wordings: Wordings = {
  ...accessWordings,
  ...catalogueWordings,
  ...definitionWordings,
  ...usageWordings,
  OVER_LIMIT: (details) => overLimit(detail(details, 'text')),
};

/** A broken rule as the contract words it; nothing when it has no words for it. */
export const worded = ({ code, details }: DomainError): AccountingError | undefined =>
  Object.hasOwn(wordings, code) ? wordings[code]?.(details) : undefined;
