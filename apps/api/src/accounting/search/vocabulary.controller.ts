import { json } from '#api/accounting/answers.js';
import { AccountingController, Get } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { answer } from '#api/shared/openapi/described.js';
import type { Static } from '#domain/shared/shape.js';
import { WORD } from '#projections/accounting/components.js';

const textOf = (words: readonly Static<typeof WORD>[]): string => JSON.stringify(words);

const OPERANDS = textOf([
  { label: 'eq', display_value: '==' },
  { label: 'lt', display_value: '<' },
  { label: 'lte', display_value: '<=' },
  { label: 'gt', display_value: '>' },
  { label: 'gte', display_value: '>=' },
  { label: 'neq', display_value: '!=' },
]);

const OPERATORS = textOf([
  { label: 'and', display_value: 'AND' },
  { label: 'or', display_value: 'OR' },
]);

/** The words of searches (accounting contract 3.13). */
@AccountingController('accounting-system', 'accounting: searches')
export class VocabularyController {
  @Get('operands', {
    id: 'listSearchOperands',
    summary: 'How a query may compare',
    answers: { 200: answer([WORD], [{ label: 'eq', display_value: '==' }]) },
  })
  operands(): Answer {
    return json(OPERANDS);
  }

  @Get('operators', {
    id: 'listSearchOperators',
    summary: 'How a filter may combine its criteria',
    answers: { 200: answer([WORD], [{ label: 'and', display_value: 'AND' }]) },
  })
  operators(): Answer {
    return json(OPERATORS);
  }
}
