import { Controller, Get, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { message, page } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { pageOfList } from '#api/accounting/paging.js';
import { Caller, Context, type ContextOfCall, GivenBody, Page, type PageOfCall } from '#api/accounting/parameters.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { SETTINGS } from '#domain/accounting/access/access-settings.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import type { AccountingCaller } from './caller.js';
import { requireSystem } from './permissions.js';
import { ChangeSetting } from './setting-commands.js';

const settingBody = members({ value: text });

/** Settings of the whole service (accounting contract 3.13). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin/settings')
export class SettingsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: AccessQueries,
  ) {}

  @Get('metadata')
  @AccountingRoute()
  @ApiOperation({ summary: 'Every setting with its value, its default and the values it may have' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireSystem(caller);
    const asked = pageOf();
    const changed = (await this.queries.configuration())?.settings ?? {};
    const found = pageOfList(SETTINGS, asked, ({ key, initial, allowed }) =>
      JSON.stringify({ key, current_value: changed[key] ?? initial, default_value: initial, allowed_values: allowed }),
    );
    return page(asked, found);
  }

  @Put(':key')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a setting; it holds at once' })
  @ApiBody({ schema: settingBody.schema })
  async change(
    @Param('key') key: string,
    @GivenBody(settingBody) given: Infer<typeof settingBody> | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireSystem(caller);
    const setting = SETTINGS.find((one) => one.key === key);
    if (!setting) throw errors.unknownSetting();
    const value = required(present(given).value, 'value');
    if (!setting.allowed.includes(value)) throw errors.invalidSetting(key);
    const { readable } = await this.bus.execute(new ChangeSetting(context(), key, value));
    return message('Setting updated successfully.', { readable });
  }
}
