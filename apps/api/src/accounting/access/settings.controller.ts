import { Controller, Get, Param, Put, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { pageOfList, pagingOf, sendPage } from '#api/accounting/paging.js';
import { sendMessage } from '#api/accounting/responses.js';
import { SETTINGS } from '#domain/accounting/access/access-settings.js';
import { ACCESS_CONFIGURATION, type AccessConfiguration, accessCollections } from '#projections/accounting/access/access.js';
import { AccessResource } from './access-resource.js';
import { requireSystem } from './permissions.js';

const settingBody = members({ value: text });

/** Settings that hold for the whole service (accounting contract 3.13). */
@ApiTags('accounting: administration')
@ApiBearerAuth()
@Controller('accounting-system/admin/settings')
export class SettingsController extends AccessResource {
  @Get('metadata')
  @AccountingRoute()
  @ApiOperation({ summary: 'Every setting with its value, its default and the values it may have' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireSystem(accountingCaller(request));
    const paging = pagingOf(request);
    const bytes = await this.view.get(accessCollections.configuration, ACCESS_CONFIGURATION);
    const values = bytes ? (JSON.parse(bytes.toString('utf8')) as AccessConfiguration).settings : {};
    const page = pageOfList(SETTINGS, paging, ({ key, initial, allowed }) =>
      JSON.stringify({ key, current_value: values[key] ?? initial, default_value: initial, allowed_values: allowed }),
    );
    sendPage(request, reply, paging, page);
  }

  @Put(':key')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a setting; it holds at once' })
  @ApiBody({ schema: settingBody.schema })
  async change(@Param() { key }: Readonly<{ key: string }>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, settingBody);
    requireSystem(accountingCaller(request));
    const setting = SETTINGS.find((one) => one.key === key);
    if (!setting) throw errors.unknownSetting();
    const value = required(present(body).value, 'value');
    if (!setting.allowed.includes(value)) throw errors.invalidSetting(key);
    await this.write(request, reply, { type: 'ChangeSetting', key, value });
    sendMessage(reply, 'Setting updated successfully.');
  }
}
