import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer } from '#api/shared/http/answer.js';
import { json, withData } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { Admin, type AdminCall } from '#api/status/parameters.js';
import { AnswersOptions, INTEGRATIONS, Post, StatusController } from '#api/status/route.js';
import { DomainError } from '#domain/shared/decider.js';
import { RenewComponentKey } from './commands.js';
import { showsKey } from './openapi.js';

/** Names of components in paths. Each is the component of the user whose key is renewed, and the role that the caller needs. */
const COMPONENTS: ReadonlyMap<string, string> = new Map([
  ['engine', 'component_engine'],
  ['monbox', 'component_monbox'],
  ['probe', 'component_monbox'],
  ['poem-admin', 'component_poem'],
  ['poem-viewer', 'component_poem'],
]);

const RENEWED = 'component api key succesfully renewed'; // sic

/** Keys of infrastructure components, which the components renew themselves (status contract of 2026, 4). */
@AnswersOptions('The methods of the keys of components', 'POST, OPTIONS')
@StatusController('api/v3/integrations/components/:component/by-tenant-name/:tenant/refresh', 'status: integrations')
export class IntegrationsController {
  constructor(private readonly bus: CommandBus) {}

  @Post('', {
    id: 'refreshComponentApiKey',
    summary: 'Gives the user of a component in a tenant a new api key and shows it; the old one is worthless at once',
    who: INTEGRATIONS,
    limit: 'none',
    answers: showsKey(RENEWED),
  })
  async refresh(
    @Admin() { context, roles }: AdminCall,
    @Param() { component, tenant }: Readonly<{ component: string; tenant: string }>,
  ): Promise<Answer> {
    const role = COMPONENTS.get(component);
    if (role === undefined || !roles.includes(role)) throw errors.forbidden();
    const { apiKey, readable } = await this.bus
      .execute(new RenewComponentKey(context, { tenantName: tenant, component: role }))
      .catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== 'COMPONENT_NOT_CONFIGURED') throw error;
        throw errors.statusOnly(404, `Component ${component} not configured for tenant ${tenant}`);
      });
    return json(withData(RENEWED, { api_key: apiKey }), { readable });
  }
}
