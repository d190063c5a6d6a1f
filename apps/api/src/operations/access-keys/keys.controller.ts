import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { IsString, Length, validateSync } from 'class-validator';
import { OpsRoute } from '#api/operations/http-policy.js';
import { OperatorContext } from '#api/operations/parameters.js';
import { Problem } from '#api/operations/problem.js';
import { BodyBytes } from '#api/shared/http/parameters.js';
import { isKeyRole, isKeyService, KEY_ROLES } from '#domain/operations/access-keys.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import type { AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import { IssueAccessKey, ListAccessKeys, RevokeAccessKey } from './commands.js';

class NewKeyBody {
  @IsString()
  service!: string;

  @IsString()
  role!: string;

  @IsString()
  @Length(1, 200)
  name!: string;
}

const view = ({ keyId, service, roles, name, issuedAt }: AccessKeyDocument): object => ({
  id: keyId,
  service,
  role: roles.join(' '),
  name,
  issuedAt,
});

/** Keys of administrators and operators (design 7). A key is shown once, when it is made. */
@ApiTags('operations')
@ApiSecurity('x-api-key')
@Controller('ops/keys')
export class KeysController {
  constructor(private readonly bus: CommandBus) {}

  @Get()
  @OpsRoute(['operator', 'auditor'])
  @ApiOperation({ summary: 'The keys in force, without the keys themselves' })
  async list(@OperatorContext() context: CommandContext): Promise<object> {
    const keys = await this.bus.execute(new ListAccessKeys(context));
    return { items: keys.map(view) };
  }

  @Post()
  @OpsRoute(['operator'], 'form')
  @ApiOperation({ summary: 'Makes a key; the answer is the only place that shows it' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['service', 'role', 'name'],
      properties: { service: { type: 'string' }, role: { type: 'string' }, name: { type: 'string' } },
    },
  })
  async create(@OperatorContext() context: CommandContext, @BodyBytes() body: Buffer): Promise<object> {
    const { service, role, name } = readNewKey(body);
    const { id, key } = await this.bus.execute(new IssueAccessKey(context, service, role, name));
    return { id, service, role, name, ...(key !== undefined && { key }) };
  }

  @Delete(':id')
  @HttpCode(204)
  @OpsRoute(['operator'])
  @ApiOperation({ summary: 'Revokes a key at once' })
  async revoke(@OperatorContext() context: CommandContext, @Param() { id }: Readonly<{ id: string }>): Promise<void> {
    await this.bus.execute(new RevokeAccessKey(context, id));
  }
}

/** @throws Problem 400, naming every wrong member */
const readNewKey = (body: Buffer): Readonly<{ service: keyof typeof KEY_ROLES; role: string; name: string }> => {
  const given = parseObject(body);
  const problems = validateSync(plainToInstance(NewKeyBody, given)).map(({ property, constraints }) => ({
    member: property,
    detail: Object.values(constraints ?? {})[0] ?? 'is wrong',
  }));
  const { service, role, name } = given as Readonly<Record<string, string>>;
  if (problems.length > 0 || service === undefined || role === undefined || name === undefined)
    throw new Problem(400, 'the key cannot be made', problems);
  if (!isKeyService(service)) {
    throw new Problem(400, 'the key cannot be made', [
      { member: 'service', detail: `must be one of ${Object.keys(KEY_ROLES).join(', ')}` },
    ]);
  }
  if (!isKeyRole(service, role)) {
    throw new Problem(400, 'the key cannot be made', [{ member: 'role', detail: `must be one of ${KEY_ROLES[service].join(', ')}` }]);
  }
  return { service, role, name };
};

const parseObject = (body: Buffer): object => {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Problem(400, 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Problem(400, 'the body is not a JSON object');
  return value;
};
