import type { DomainError } from '#domain/shared/decider.js';
import { accessWordings } from './access-wordings.js';
import { catalogueWordings, definitionWordings } from './catalogue-wordings.js';
import { type AccountingError, overLimit } from './errors.js';
import { usageWordings } from './usage-wordings.js';
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
