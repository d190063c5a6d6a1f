import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs, firstValueAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute } from '#api/messaging/http-policy.js';
import { requireName, withVerb } from '#api/messaging/names.js';
import { sendEmpty, sendJ3, sendJC } from '#api/messaging/responses.js';
import { dictionary, type Infer, readBody, struct, text } from '#api/shared/bodies/body-shape.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { bodyOf, firstOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { CLOCK, CONFIGURATION, READ_STORE } from '#api/shared/tokens.js';
import type { Grant } from '#domain/messaging/accounts/account-commands.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/config/configuration.js';
import { type RegistrationDocument, submittedRegistration } from '#projections/messaging/accounts/account-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AccountResource, newToken } from './account-resource.js';
import { registrationView } from './account-views.js';
import { grantBody, profileOf, registrationBody } from './user-bodies.js';

type IdPath = Readonly<{ uuid: string }>;

const DEFAULT_ROLES = ['project_admin'];
const texts = dictionary(text);
const declineBody = struct({ comment: text });

/** Members of registrations that lists can be filtered by, by the name of the query parameter. */
const FILTERS: Readonly<Record<string, (registration: RegistrationDocument) => string>> = {
  name: ({ name }) => name,
  status: ({ status }) => status,
  email: ({ email }) => email,
  organization: ({ organization }) => organization,
  activation_token: ({ activationToken }) => activationToken,
};

/** Requests for accounts (messaging contract 3.4). */
@ApiTags('messaging: registrations')
@ApiSecurity('x-api-key')
@Controller('v1/registrations')
export class RegistrationsController extends AccountResource {
  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    super(commands, store, clock);
  }

  @Post()
  @HttpCode(200)
  @MessagingRoute('registrations:newUser')
  @ApiOperation({ summary: 'Asks for an account' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: registrationBody.schema })
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { name, ...profile } = bodyAs(request, registrationBody, errors.invalidUserArguments);
    if (!name) throw errors.invalidUserArguments();
    requireName('user', name);
    const registration = { registrationId: randomUUID(), profile: profileOf(profile, name), activationToken: newKey() };
    const events = await this.write(request, reply, { type: 'SubmitRegistration', ...registration });
    sendJ3(reply, registrationView(submittedRegistration(this.eventOf(events, 'RegistrationSubmitted')), undefined));
  }

  @Get()
  @MessagingRoute('registrations:list')
  @ApiOperation({ summary: 'Registrations in the order of their submission; those that match all filters' })
  @ApiQuery({ name: 'name', required: false })
  @ApiQuery({ name: 'status', required: false })
  @ApiQuery({ name: 'email', required: false })
  @ApiQuery({ name: 'organization', required: false })
  @ApiQuery({ name: 'activation_token', required: false })
  async list(@Query() query: Readonly<Record<string, unknown>>, @Res() reply: FastifyReply): Promise<void> {
    const filters = Object.entries(FILTERS).map(([name, valueIn]) => ({ wanted: firstOf(query[name]), valueIn }));
    const all = await this.reader.registrations();
    const matching = all.filter((one) => filters.every(({ wanted, valueIn }) => !wanted || valueIn(one) === wanted));
    const names = await this.reader.namesOf(matching.flatMap(({ modifiedBy }) => modifiedBy ?? []));
    sendJ3(reply, { user_registrations: matching.map((one) => registrationView(one, names.get(one.modifiedBy ?? ''))) });
  }

  @Get(':uuid')
  @MessagingRoute('registrations:show')
  @ApiOperation({ summary: 'One registration' })
  async show(@Param() { uuid }: IdPath, @Res() reply: FastifyReply): Promise<void> {
    const registration = await this.reader.registration(uuid);
    if (!registration) throw errors.registrationNotFound();
    sendJ3(reply, registrationView(registration, await this.nameOf(registration.modifiedBy)));
  }

  @Post(withVerb('uuid', 'accept'))
  @HttpCode(200)
  @MessagingRoute('registrations:acceptNewUser')
  @ApiOperation({
    summary: 'Creates the user with a token and a project',
    description:
      'The project is that of the body, created if it is new; without one a new project, named after the user. ' +
      'The user is its `project_admin` unless the body has `roles`. Servers can be configured to issue only what the body names.',
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: grantBody.schema, required: false })
  async accept(@Param() { uuid }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const grant = grantIn(request, this.configuration);
    const account = { userId: randomUUID(), token: newToken(), by: this.creator(request) };
    const events = await this.write(request, reply, {
      type: 'AcceptRegistration',
      registrationId: uuid,
      ...account,
      ...(grant ? { grant } : {}),
    });
    const created = new Map(events.flatMap(({ type, data }) => (type === 'ProjectCreated' ? [[data.projectId, data.name]] : [])));
    const [view] = await this.presenter.present([await this.userAfter(events)], { created });
    sendJ3(reply, view ?? {});
  }

  @Post(withVerb('uuid', 'decline'))
  @HttpCode(200)
  @MessagingRoute('registrations:declineNewUser')
  @ApiOperation({ summary: 'Declines a registration' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: declineBody.schema })
  async decline(@Param() { uuid }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const comment = await this.commentFor(uuid, request);
    await this.write(request, reply, { type: 'DeclineRegistration', registrationId: uuid, comment, by: this.creator(request) });
    sendJC(reply, {});
  }

  @Delete(':uuid')
  @MessagingRoute('registrations:delete')
  @ApiOperation({ summary: 'Deletes a registration' })
  async delete(@Param() { uuid }: IdPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'DeleteRegistration', registrationId: uuid });
    sendEmpty(reply);
  }

  /** The comment of a body that is read after the registration: a malformed body for one that is not pending is 404. */
  private async commentFor(uuid: string, request: FastifyRequest): Promise<string> {
    try {
      firstValueAs(request, texts, errors.invalidBody);
      return firstValueAs(request, declineBody, errors.invalidBody).comment;
    } catch (error) {
      if ((await this.reader.registration(uuid))?.status !== 'pending') throw errors.registrationNotFound();
      throw error;
    }
  }
}

/** What the body of an approval asks for. A body of another shape is ignored, as the original ignores any. */
const wishIn = (request: FastifyRequest): Infer<typeof grantBody> => {
  try {
    return readBody(grantBody, bodyOf(request));
  } catch (error) {
    if (error instanceof MalformedJson) return { project: '', roles: [] };
    throw error;
  }
};

/** What an approval is to hand out (messaging contract 3.4). @throws MessagingError B02 */
const grantIn = (request: FastifyRequest, { messagingProjectOnApproval }: Configuration): Grant | undefined => {
  const { project, roles } = wishIn(request);
  if (!project && !messagingProjectOnApproval) return undefined;
  if (project) requireName('project', project);
  return { projectId: randomUUID(), ...(project ? { project } : {}), roles: roles.length > 0 ? roles : DEFAULT_ROLES };
};
