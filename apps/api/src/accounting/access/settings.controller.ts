import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, page } from '#api/accounting/answers.js';
import { filled, present, recordOf, required } from '#api/accounting/bodies.js';
import * as errors from '#api/accounting/errors.js';
import { lists, says } from '#api/accounting/openapi/envelopes.js';
import { pageOfList } from '#api/accounting/paging.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { requireSystem } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Get, Put } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { SETTINGS } from '#domain/accounting/access/access-settings.js';
import type { Static } from '#domain/shared/shape.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { SETTING } from '#projections/accounting/components.js';
import { ChangeSetting } from './commands.js';

const CHANGED = 'Setting updated successfully.';

const settingBody = recordOf('AccountingSettingRequest', { value: filled('one of the allowed values') });

/** Settings of the whole service (accounting contract 3.13). */
@AccountingController('accounting-system/admin/settings', 'accounting: administration')
export class SettingsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: AccessQueries,
  ) {}

  @Get('metadata', {
    id: 'listSettings',
    summary: 'Every setting with its value, its default and the values it may have',
    query: PAGES,
    answers: lists(SETTING),
  })
  async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    const changed = (await this.queries.configuration())?.settings ?? {};
    const found = pageOfList(SETTINGS, asked, ({ key, initial, allowed }) =>
      JSON.stringify({ key, current_value: changed[key] ?? initial, default_value: initial, allowed_values: allowed } satisfies Static<
        typeof SETTING
      >),
    );
    return page(asked, found);
  }

  @Put(':key', {
    id: 'updateSetting',
    summary: 'Changes a setting; it holds at once',
    body: settingBody,
    example: { value: 'oidc' },
    errors: [errors.missing('value'), errors.invalidSetting('KEY')],
    answers: says(CHANGED),
  })
  async change(@Call() { caller, context, given }: AccountingCall<typeof settingBody>, @Param('key') key: string): Promise<Answer> {
    requireSystem(caller);
    const setting = SETTINGS.find((one) => one.key === key);
    if (!setting) throw errors.unknownSetting();
    const value = required(present(given).value, 'value');
    if (!setting.allowed.includes(value)) throw errors.invalidSetting(key);
    return done(CHANGED, this.bus.execute(new ChangeSetting(context(), { key, value })));
  }
}
