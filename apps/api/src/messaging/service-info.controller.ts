import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { PushAvailability } from '#api/messaging/push/push-availability.js';
import { build } from '#api/shared/build.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { j1 } from '#projections/messaging/layout.js';
import { json } from './answers.js';
import * as errors from './errors.js';
import { type MessagingCaller, OpenMessagingRoute } from './http-policy.js';
import { CallerIfAny } from './parameters.js';

/** Users with one of these roles see more of the service. */
const INSIDERS = ['admin_viewer', 'service_admin'];

const isInsider = (caller: MessagingCaller | undefined): boolean =>
  caller?.kind === 'user' && caller.roles.some((role) => INSIDERS.includes(role));

/** Status and version of the messaging service (messaging contract 3.9). */
@ApiTags('messaging: service')
@ApiSecurity('x-api-key')
@Controller('v1')
export class ServiceInfoController {
  constructor(private readonly push: PushAvailability) {}

  @Get('status')
  @OpenMessagingRoute('ams:healthStatus')
  @ApiOperation({ summary: 'Health of the service and of its push servers' })
  @ApiQuery({
    name: 'details',
    required: false,
    description: '`true`: with the errors of push servers, for `admin_viewer` and `service_admin`',
  })
  async status(@QueryText('details') details: string | undefined, @CallerIfAny() caller: MessagingCaller | undefined): Promise<Answer> {
    if (details === 'true') {
      if (caller?.kind !== 'user') throw errors.forbidden(); // sic: the codes are the other way round than elsewhere
      if (!isInsider(caller)) throw errors.unauthorized();
    }
    return json(j1(await this.push.health()));
  }

  @Get('version')
  @OpenMessagingRoute('version:list')
  @ApiOperation({ summary: 'What runs here; the release for `admin_viewer` and `service_admin`' })
  version(@CallerIfAny() caller: MessagingCaller | undefined): Answer {
    const release = isInsider(caller) ? { release: build.version } : {};
    const { version, platform, arch } = process;
    return json(j1({ build_time: build.time, golang: version, compiler: 'node', os: platform, architecture: arch, ...release }));
  }
}
