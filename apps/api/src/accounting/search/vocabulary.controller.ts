import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { json } from '#api/accounting/answers.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import type { Answer } from '#api/shared/http/answer.js';

const OPERANDS = JSON.stringify([
  { label: 'eq', display_value: '==' },
  { label: 'lt', display_value: '<' },
  { label: 'lte', display_value: '<=' },
  { label: 'gt', display_value: '>' },
  { label: 'gte', display_value: '>=' },
  { label: 'neq', display_value: '!=' },
]);

const OPERATORS = JSON.stringify([
  { label: 'and', display_value: 'AND' },
  { label: 'or', display_value: 'OR' },
]);

/** The words of searches (accounting contract 3.13). */
@ApiTags('accounting: searches')
@ApiBearerAuth()
@Controller('accounting-system')
export class VocabularyController {
  @Get('operands')
  @AccountingRoute()
  @ApiOperation({ summary: 'How a query may compare' })
  operands(): Answer {
    return json(OPERANDS);
  }

  @Get('operators')
  @AccountingRoute()
  @ApiOperation({ summary: 'How a filter may combine its criteria' })
  operators(): Answer {
    return json(OPERATORS);
  }
}
