import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { IsString, Length, validateSync } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { newKey } from '#api/shared/commands/new-key.js';
import { type Outcome, StreamWrite } from '#api/shared/commands/stream-write.js';
import { bodyOf, contextOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import {
  ACCESS_KEYS_STREAM,
  type AccessKeyCommand,
  type AccessKeyEvent,
  accessKeys,
  isKeyRole,
  isKeyService,
  KEY_ROLES,
} from '#domain/operations/access-keys.js';
import type { Clock } from '#domain/shared/clock.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import { ACCESS_KEYS_PROJECTION, type AccessKeyDocument, accessKeyCollections } from '#projections/operations/access-keys.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { OpsRoute } from './http-policy.js';
import { Problem } from './problem.js';

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
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @OpsRoute(['operator', 'auditor'])
  @ApiOperation({ summary: 'The keys in force, without the keys themselves' })
  async list(@Req() request: FastifyRequest): Promise<object> {
    await this.write(request, { type: 'ListKeys' });
    const documents = await this.store.view(ACCESS_KEYS_PROJECTION).range(accessKeyCollections.keys, {});
    const keys = documents.map(({ value }) => JSON.parse(value.toString('utf8')) as AccessKeyDocument);
    keys.sort((left, right) => left.issuedAt.localeCompare(right.issuedAt));
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
  async create(@Req() request: FastifyRequest): Promise<object> {
    const { service, role, name } = readNewKey(bodyOf(request));
    const key = newKey();
    const command = { keyId: randomUUID(), service, roles: [role], name, keyHash: hashCredential(key) };
    const { events } = await this.write(request, { type: 'IssueKey', key: command });
    const [issued] = events;
    if (issued?.type !== 'AccessKeyIssued') throw new Error('a new key made no event');
    // A repeated request finds the key it made before: what it was can be told to nobody a second time.
    const shown = issued.data.keyHash === command.keyHash ? { key } : {};
    return { id: issued.data.keyId, service, role, name, ...shown };
  }

  @Delete(':id')
  @HttpCode(204)
  @OpsRoute(['operator'])
  @ApiOperation({ summary: 'Revokes a key at once' })
  async revoke(@Param() { id }: Readonly<{ id: string }>, @Req() request: FastifyRequest): Promise<void> {
    await this.write(request, { type: 'RevokeKey', keyId: id });
  }

  private write(request: FastifyRequest, command: AccessKeyCommand): Promise<Outcome<AccessKeyEvent>> {
    const actor = { kind: 'key', id: request.operator?.keyId ?? '' } as const;
    return this.commands.execute(new StreamWrite(ACCESS_KEYS_STREAM, accessKeys, command, contextOf(request, 'ops', actor, this.clock)));
  }
}

/** @throws Problem 400, naming every wrong member */
const readNewKey = (body: Buffer | undefined): Readonly<{ service: keyof typeof KEY_ROLES; role: string; name: string }> => {
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

const parseObject = (body: Buffer | undefined): object => {
  let value: unknown;
  try {
    value = JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    throw new Problem(400, 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Problem(400, 'the body is not a JSON object');
  return value;
};
