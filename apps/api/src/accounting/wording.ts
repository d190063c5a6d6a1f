import type { DomainError } from '#domain/shared/decider.js';
import type { AccountingError } from './errors.js';

/** How the contract words a broken rule. `details`: those of the rule. */
export type Wording = (details: DomainError['details']) => AccountingError;
/** Wordings by the code of the rule. */
export type Wordings = Readonly<Record<string, Wording>>;

/** A text among the details of a rule. */
export const detail = (details: DomainError['details'], name: string): string => `${details[name]}`;
