import { Controller, Get, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { sendJson } from '#api/accounting/responses.js';

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
  operands(@Res() reply: FastifyReply): void {
    sendJson(reply, OPERANDS);
  }

  @Get('operators')
  @AccountingRoute()
  @ApiOperation({ summary: 'How a filter may combine its criteria' })
  operators(@Res() reply: FastifyReply): void {
    sendJson(reply, OPERATORS);
  }
}
