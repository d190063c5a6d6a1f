import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { KEYS, NEW_KEY } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Delete, Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody } from '#api/ops-kit/strict-input.js';
import { membersOf, oneOf, text } from '#api/ops-kit/strict-members.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { isKeyRole, KEY_ROLES, type KeyService } from '#domain/operations/access-keys.js';
import { LONGEST_KEY_NAME } from '#domain/operations/given-texts.js';
import type { AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import { IssueAccessKey, ListAccessKeys, RevokeAccessKey } from './commands.js';

class NewKeyBody extends membersOf({
  service: oneOf(Object.keys(KEY_ROLES) as KeyService[], { example: 'ops' }),
  role: oneOf([...new Set(Object.values(KEY_ROLES).flat())], { example: 'auditor' }),
  name: text(LONGEST_KEY_NAME, { description: 'what the key is for', example: 'yearly audit' }),
}) {}

const view = ({ keyId, service, roles, name, issuedAt }: AccessKeyDocument): Answered<typeof KEYS>['items'][number] => ({
  id: keyId,
  service,
  role: roles.join(' '),
  name,
  issuedAt,
});

/** Keys of administrators and operators (design 7). A key is shown once, at its creation. */
@OpsController('ops/keys', 'operations')
export class KeysController {
  constructor(private readonly bus: CommandBus) {}

  @Get('', { id: 'listKeys', summary: 'The keys in force, without the keys themselves', answers: { 200: KEYS } })
  async list(@Call() { context }: OpsCall): Promise<Answered<typeof KEYS>> {
    const keys = await this.bus.execute(new ListAccessKeys(context, undefined));
    return { items: keys.map(view) };
  }

  @Post('', {
    id: 'createKey',
    summary: 'Makes a key; the answer is the only place that shows it',
    who: OPERATOR,
    limit: 'form',
    answers: { 201: NEW_KEY },
  })
  async create(
    @Call() { context, reply }: OpsCall,
    @StrictBody(NewKeyBody) { service, role, name }: NewKeyBody,
  ): Promise<Answered<typeof NEW_KEY>> {
    if (!isKeyRole(service, role))
      throw new Problem(400, 'the key cannot be made', [{ member: 'role', detail: `must be one of ${KEY_ROLES[service].join(', ')}` }]);
    const { id, key, readable } = await this.bus.execute(new IssueAccessKey(context, { service, role, name }));
    noteReadability(reply, readable);
    return { id, service, role, name, ...(key !== undefined && { key }) };
  }

  @Delete(':id', { id: 'revokeKey', summary: 'Revokes a key at once', who: OPERATOR, answers: { 204: { description: 'revoked' } } })
  async revoke(@Call() { context, reply }: OpsCall, @Param() { id }: Readonly<{ id: string }>): Promise<void> {
    const { readable } = await this.bus.execute(new RevokeAccessKey(context, { keyId: id }));
    noteReadability(reply, readable);
  }
}
