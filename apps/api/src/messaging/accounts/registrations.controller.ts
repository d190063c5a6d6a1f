import { Param, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, json } from '#api/messaging/answers/answers.js';
import { viewsOf, wholeListAnswer } from '#api/messaging/answers/long-list.js';
import { bodyOfKnown, firstValueFrom } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { requireName, requireNewName, withVerb } from '#api/messaging/names.js';
import { NOTHING, REGISTRATION, USER } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import * as examples from '#api/messaging/openapi/examples.js';
import { NAMED } from '#api/messaging/openapi/parameters.js';
import { BodyOf, Call, type MessagingCall } from '#api/messaging/parameters.js';
import { SERVICE_ADMINS } from '#api/messaging/roles.js';
import { Delete, Get, MessagingController, Post } from '#api/messaging/route.js';
import { dictionary, type Infer, named, type ReceivedBody, readBody, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { oneOf } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries, type RegistrationDocument } from '#projections/messaging/accounts/queries.js';
import { j3, jc } from '#projections/messaging/layout.js';
import { registrationView } from './account-views.js';
import {
  AcceptRegistration,
  DeclineRegistration,
  DeleteRegistration,
  type ProjectWish,
  SubmitRegistration,
} from './registration-commands.js';
import { descriptionText, grantBody, profileOf, registrationBody } from './user-bodies.js';
import { UserPresenter } from './user-presenter.js';

const texts = dictionary(text);
const REGISTRATION_ID = {
  uuid: parameter(NAMED, 'id of the registration', '4e5ffc39-2a80-463e-bf59-87ef803dfa93'),
};
const declineBody = named('MessagingDecline', struct({ comment: descriptionText }));

/** Query parameters that filter the list, and the members of registrations that they compare. */
const FILTERS: Readonly<Record<string, (registration: RegistrationDocument) => string>> = {
  name: ({ name }) => name,
  status: ({ status }) => status,
  email: ({ email }) => email,
  organization: ({ organization }) => organization,
  activation_token: ({ activationToken }) => activationToken,
};

/** Project that the body of an approval asks for. A body of another shape is ignored, as the original ignores every body. */
const wishIn = (body: ReceivedBody | undefined): ProjectWish => {
  try {
    return readBody(grantBody, body);
  } catch (error) {
    if (error instanceof MalformedJson) return { project: '', roles: [] };
    throw error;
  }
};

/** @throws MessagingError B01 */
const commentIn = (body: ReceivedBody | undefined): string => {
  firstValueFrom(body, texts, errors.invalidBody);
  return firstValueFrom(body, declineBody, errors.invalidBody).comment;
};

/** Requests for accounts (messaging contract 3.4). */
@MessagingController('v1/registrations', 'messaging: registrations')
export class RegistrationsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly accounts: AccountQueries,
    private readonly presenter: UserPresenter,
  ) {}

  @Post('', {
    id: 'submitRegistration',
    summary: 'Asks for an account',
    who: ['service_admin', 'register_admin'],
    body: registrationBody,
    example: { name: 'grace', first_name: 'Grace', last_name: 'Hopper', organization: 'Example Lab', email: 'grace@example.org' },
    errors: [errors.invalidUserArguments(), errors.invalidName('topic'), errors.userExists()],
    answers: shows(REGISTRATION),
  })
  async submit(
    @Call() { context }: MessagingCall,
    @BodyOf(registrationBody, errors.invalidUserArguments) { name, ...profile }: Infer<typeof registrationBody>,
  ): Promise<Answer> {
    if (!name) throw errors.invalidUserArguments();
    requireNewName('user', name);
    const { registration, readable } = await this.bus.execute(new SubmitRegistration(context, profileOf(profile, name)));
    return json(j3(registrationView(registration, undefined)), { readable });
  }

  @Get('', {
    id: 'listRegistrations',
    summary: 'Registrations in the order of their submission; those that match all filters',
    who: SERVICE_ADMINS,
    query: {
      activation_token: parameter('text', 'only the registration with this token'),
      organization: parameter('text', 'only registrations of this organization'),
      email: parameter('text', 'only registrations with this address'),
      status: parameter(oneOf('pending', 'accepted', 'declined'), 'only registrations in this state'),
      name: parameter('text', 'only registrations with this name'),
    },
    answers: shows({ user_registrations: [REGISTRATION] }, { user_registrations: [examples.REGISTRATION] }),
  })
  async list(@Query() query: Readonly<Record<string, unknown>>): Promise<Answer> {
    const filters = Object.entries(FILTERS).map(([name, valueIn]) => ({ wanted: firstOf(query[name]), valueIn }));
    const all = await this.accounts.registrations(new TimeSlice());
    const matching = all.filter((one) => filters.every(({ wanted, valueIn }) => !wanted || valueIn(one) === wanted));
    const views = viewsOf(matching, async (some) => {
      const names = await this.accounts.namesOf(some.flatMap(({ modifiedBy }) => modifiedBy ?? []));
      return some.map((one) => registrationView(one, names.get(one.modifiedBy ?? '')));
    });
    return wholeListAnswer('user_registrations', views);
  }

  @Get(':uuid', {
    id: 'getRegistration',
    summary: 'One registration',
    path: REGISTRATION_ID,
    who: SERVICE_ADMINS,
    answers: shows(REGISTRATION),
  })
  async show(@Param('uuid') id: string): Promise<Answer> {
    const registration = found(await this.accounts.registration(id), errors.registrationNotFound);
    return json(j3(registrationView(registration, await this.accounts.nameOf(registration.modifiedBy))));
  }

  @Post(withVerb('uuid', 'accept'), {
    id: 'acceptRegistration',
    summary: 'Creates the user with a token and a project',
    path: REGISTRATION_ID,
    description:
      'The project is that of the body, created if it is new; without one a new project, named after the user. ' +
      'The user is its `project_admin` unless the body has `roles`. Servers can be configured to issue only what the body names.',
    who: SERVICE_ADMINS,
    body: grantBody,
    bodyIsOptional: true,
    example: { project: 'EGI', roles: ['publisher'] },
    errors: [errors.userExists(), errors.invalidName('topic'), errors.invalidRole('reader')],
    answers: shows(USER),
  })
  async accept(@Call() { context, caller: { userId: by }, body }: MessagingCall, @Param('uuid') id: string): Promise<Answer> {
    const wish = wishIn(body);
    await bodyOfKnown(
      () => wish.project && requireName('project', wish.project),
      async () => {
        const { name } = await this.pending(id);
        if (await this.accounts.userNamed(name)) throw errors.userExists();
      },
    );
    if (wish.project && !(await this.accounts.projectNamed(wish.project))) requireNewName('project', wish.project);
    const { user, createdProjects, readable } = await this.bus.execute(new AcceptRegistration(context, { by, registrationId: id, wish }));
    return json(j3(await this.presenter.presentOne(user, { madeToken: true, created: createdProjects })), { readable });
  }

  @Post(withVerb('uuid', 'decline'), {
    id: 'declineRegistration',
    summary: 'Declines a registration',
    path: REGISTRATION_ID,
    who: SERVICE_ADMINS,
    body: declineBody,
    example: { comment: 'unknown organization' },
    errors: [errors.invalidBody()],
    answers: shows(NOTHING, {}),
  })
  async decline(@Call() { context, caller: { userId: by }, body }: MessagingCall, @Param('uuid') id: string): Promise<Answer> {
    const comment = await bodyOfKnown(
      () => commentIn(body),
      () => this.pending(id),
    );
    const { readable } = await this.bus.execute(new DeclineRegistration(context, { by, registrationId: id, comment }));
    return json(jc({}), { readable });
  }

  @Delete(':uuid', {
    id: 'deleteRegistration',
    summary: 'Deletes a registration',
    path: REGISTRATION_ID,
    who: SERVICE_ADMINS,
    answers: DONE,
  })
  async delete(@Call() { context }: MessagingCall, @Param('uuid') id: string): Promise<Answer> {
    return done(this.bus.execute(new DeleteRegistration(context, { registrationId: id })));
  }

  /** @throws MessagingError N07 */
  private async pending(id: string): Promise<RegistrationDocument> {
    const registration = await this.accounts.registration(id);
    if (registration?.status !== 'pending') throw errors.registrationNotFound();
    return registration;
  }
}
